// Arrays that tests fill and read back as float64, and Math on an inline stream, for each type.
#pragma once

#include "base/clock.h"
#include "devices/cpu/cpu_device.h"
#include "devices/cpu/math/cpu_math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace linerate::math_test {

using Values = std::vector<double>;

// From a normal distribution.
inline Values random_values(std::size_t count, unsigned seed, double deviation = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, deviation);
  Values values(count);
  for (double& value : values) value = normal(random);
  return values;
}

// Largest relative error of one rounding to this type, and of some hundred sums in what it is
// computed in, relative to the largest result.
inline double rounding_of(DataType type) {
  return type == DataType::bfloat16 ? 0x1.01p-8 : type == DataType::float16 ? 0x1.01p-11 : 0;
}
// What means, sums and moments are kept in.
inline DataType wide_of(DataType type) {
  return type == DataType::float64 ? type : DataType::float32;
}
inline double accuracy_of(DataType type) { return type == DataType::float64 ? 2e-14 : 4e-6; }

template <typename Body>
void with_type_of(DataType type, Body&& body) {
  if (type == DataType::float32) return body(float{});
  if (type == DataType::float64) return body(double{});
  if (type == DataType::float16) return body(Half{});
  return body(BFloat16{});
}

// `values` rounded to `type`, `shift` elements behind a multiple of a cache line.
class Tensor {
 public:
  Tensor(DataType type, const Values& values, std::size_t shift = 0)
      : type_(type), count_(values.size()), storage_(bytes_of(type) * (count_ + shift) + 64) {
    const auto address = reinterpret_cast<std::uintptr_t>(storage_.data());
    first_ = (64 - address % 64) % 64 + shift * bytes_of(type);
    with_type_of(type, [&](auto element) {
      using T = decltype(element);
      for (std::size_t i = 0; i < count_; ++i) {
        T value;
        if constexpr (std::is_class_v<T>)
          value = T(static_cast<float>(values[i]));
        else
          value = static_cast<T>(values[i]);
        std::memcpy(storage_.data() + first_ + i * sizeof(T), &value, sizeof(T));
      }
    });
  }
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;

  Array array() { return {storage_.data() + first_, type_}; }
  DataType type() const { return type_; }
  std::size_t count() const { return count_; }
  Values values() const {
    Values values(count_);
    with_type_of(type_, [&](auto element) {
      using T = decltype(element);
      for (std::size_t i = 0; i < count_; ++i) {
        T value;
        std::memcpy(&value, storage_.data() + first_ + i * sizeof(T), sizeof(T));
        if constexpr (std::is_class_v<T>)
          values[i] = static_cast<double>(static_cast<float>(value));
        else
          values[i] = static_cast<double>(value);
      }
    });
    return values;
  }

 private:
  DataType type_;
  std::size_t count_, first_ = 0;
  std::vector<std::byte> storage_;
};

inline double largest(const Values& values) {
  double result = 0;
  for (const double value : values) result = std::max(result, std::abs(value));
  return result;
}

// One rounding to the tensor's type, and `slack` times the accuracy of what computed it.
inline void expect_close(const Tensor& actual, const Values& expected, double slack = 1) {
  const Values values = actual.values();
  ASSERT_EQ(values.size(), expected.size());
  const double least = slack * accuracy_of(actual.type()) * largest(expected);
  for (std::size_t i = 0; i < values.size(); ++i)
    ASSERT_LE(std::abs(values[i] - expected[i]),
              rounding_of(actual.type()) * std::abs(expected[i]) + least)
        << "element " << i << ": " << values[i] << ", expected " << expected[i];
}

inline void expect_same_bits(const Tensor& a, const Tensor& b) {
  const Values left = a.values(), right = b.values();
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t i = 0; i < left.size(); ++i)
    ASSERT_EQ(std::bit_cast<std::uint64_t>(left[i]), std::bit_cast<std::uint64_t>(right[i])) << i;
}

// sum of a[i] * b[i].
inline double dot(const Values& a, const Values& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// `gradient` is that of `loss` at `x`, by central differences of fourth order.
inline void expect_gradient(const Values& gradient, Values x,
                            const std::function<double(const Values&)>& loss) {
  constexpr double kStep = 1e-3;
  ASSERT_EQ(gradient.size(), x.size());
  const double scale = largest(gradient);
  const auto at = [&](std::size_t i, double value, double offset) {
    x[i] = value + offset * kStep;
    const double result = loss(x);
    x[i] = value;
    return result;
  };
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double value = x[i];
    const double slope =
        (8 * (at(i, value, 1) - at(i, value, -1)) - at(i, value, 2) + at(i, value, -2)) /
        (12 * kStep);
    ASSERT_NEAR(gradient[i], slope, 1e-8 * scale) << "element " << i;
  }
}

class Fixture {
 public:
  Math& math() { return *math_; }
  Stream& stream() { return *stream_; }

 private:
  SteadyClock clock_;
  std::unique_ptr<Device> device_ = make_cpu_device(0, clock_);
  std::unique_ptr<Stream> stream_ = device_->stream();
  std::unique_ptr<Math> math_ = make_cpu_math();
};

class EveryType : public testing::TestWithParam<DataType>, public Fixture {
 protected:
  Tensor random(std::size_t count, unsigned seed, double deviation = 1) {
    return Tensor(GetParam(), random_values(count, seed, deviation));
  }
  Tensor zeros(std::size_t count) { return Tensor(GetParam(), Values(count)); }
};

class Doubles : public testing::Test, public Fixture {
 protected:
  static Tensor random(std::size_t count, unsigned seed) {
    return Tensor(DataType::float64, random_values(count, seed));
  }
  static Tensor zeros(std::size_t count) { return Tensor(DataType::float64, Values(count)); }
};

inline std::string type_name(const testing::TestParamInfo<DataType>& info) {
  return std::string(name_of(info.param));
}
inline const auto kEveryType =
    testing::Values(DataType::float32, DataType::float64, DataType::bfloat16, DataType::float16);

}  // namespace linerate::math_test
