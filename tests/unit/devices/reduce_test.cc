// reduce() against an oracle that goes element by element in a wide type.
#include "devices/cpu/reduce.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>

namespace linerate {
namespace {

struct Setting {
  DataType type;
  RedOp op;
};

// The widest exact arithmetic for T: integers that wrap, floats with many spare bits.
template <typename T>
using Exact = std::conditional_t<std::is_integral_v<T>, std::uint64_t, long double>;

template <typename T>
Exact<T> widened(T value) {
  if constexpr (std::is_class_v<T>)
    return static_cast<long double>(static_cast<float>(value));
  else
    return static_cast<Exact<T>>(value);
}

template <typename T>
T narrowed(Exact<T> value) {
  if constexpr (std::is_class_v<T>)
    return T(static_cast<float>(value));
  else
    return static_cast<T>(value);
}

template <typename T>
Exact<T> combined(RedOp op, Exact<T> a, Exact<T> b) {
  const auto less = [](Exact<T> x, Exact<T> y) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(x) < static_cast<T>(y);
    else
      return x < y;
  };
  switch (op) {
    case RedOp::prod:
      return a * b;
    case RedOp::max:
      return less(a, b) ? b : a;
    case RedOp::min:
      return less(b, a) ? b : a;
    case RedOp::sum:
    case RedOp::avg:
    case RedOp::mulsum:
      return a + b;
  }
  __builtin_unreachable();
}

template <typename T>
T averaged(Exact<T> sum, int nranks) {
  const T wrapped = narrowed<T>(sum);
  if constexpr (std::is_same_v<T, std::uint64_t>)
    return wrapped / static_cast<T>(nranks);
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::int64_t>(wrapped) / nranks);
  else
    return narrowed<T>(sum / static_cast<long double>(nranks));
}

class Reduce : public testing::TestWithParam<Setting> {
 protected:
  static constexpr std::size_t kSkew = 1;  // bytes: no buffer is aligned to its element

  // Whole numbers that every floating type holds, and so do the results of up to 4 of them in
  // float; any bits for integers. Powers of two only where products of fp8 could otherwise round.
  template <typename T>
  std::vector<std::byte> random_buffer(std::size_t count) {
    std::vector<std::byte> buffer(count * sizeof(T) + kSkew);
    for (std::size_t i = 0; i < count; ++i) {
      T value;
      if constexpr (std::is_integral_v<T>)
        value = static_cast<T>(random_());
      else
        value = narrowed<T>(
            std::ldexp(random_() % 2 == 0 ? 1.0L : -1.0L, static_cast<int>(random_() % 3)));
      std::memcpy(buffer.data() + kSkew + i * sizeof(T), &value, sizeof value);
    }
    return buffer;
  }

  template <typename T>
  static T element(const std::vector<std::byte>& buffer, std::size_t i) {
    T value;
    std::memcpy(&value, buffer.data() + kSkew + i * sizeof(T), sizeof value);
    return value;
  }

  template <typename T>
  T oracle(const std::vector<std::vector<std::byte>>& buffers, std::size_t i) const {
    const auto operand = [&](std::size_t k) {
      const auto value = widened(element<T>(buffers[k], i));
      return premuls_.empty() ? value : value * static_cast<Exact<T>>(premuls_[k]);
    };
    Exact<T> total = operand(0);
    for (std::size_t k = 1; k < buffers.size(); ++k)
      total = combined<T>(GetParam().op, total, operand(k));
    return GetParam().op == RedOp::avg ? averaged<T>(total, nranks()) : narrowed<T>(total);
  }

  int nranks() const { return 3; }

  void set_premuls(std::size_t nsources) {
    premuls_.clear();
    if (GetParam().op != RedOp::mulsum) return;
    for (std::size_t k = 0; k < nsources; ++k) premuls_.push_back(premul_of(static_cast<int>(k)));
  }

  ReduceSpec spec() const {
    return {.type = GetParam().type, .op = GetParam().op, .nranks = nranks(), .premuls = premuls_};
  }

  std::mt19937_64 random_{5};
  std::vector<double> premuls_;
};

std::vector<const std::byte*> pointers(const std::vector<std::vector<std::byte>>& buffers,
                                       std::size_t skew) {
  std::vector<const std::byte*> all;
  for (const auto& buffer : buffers) all.push_back(buffer.data() + skew);
  return all;
}

TEST_P(Reduce, GivesTheOraclesBitsForOddCountsAndAddresses) {
  with_type(GetParam().type, [&]<typename T>() {
    for (const std::size_t nsources : {1u, 2u, 3u, 4u})
      for (const std::size_t count : {0u, 1u, 7u, 31u, 2049u, 8200u}) {
        std::vector<std::vector<std::byte>> sources;
        for (std::size_t k = 0; k < nsources; ++k) sources.push_back(random_buffer<T>(count));
        std::vector<std::byte> dst(count * sizeof(T) + 2 * kSkew, std::byte{0x77});
        set_premuls(nsources);

        reduce(dst.data() + kSkew, pointers(sources, kSkew), count, spec());

        for (std::size_t i = 0; i < count; ++i) {
          const T wanted = oracle<T>(sources, i);
          const T got = element<T>(dst, i);
          ASSERT_EQ(std::memcmp(&wanted, &got, sizeof got), 0)
              << nsources << " sources, element " << i << " of " << count;
        }
        EXPECT_EQ(dst.back(), std::byte{0x77});
      }
  });
}

TEST_P(Reduce, MayWriteIntoAnySource) {
  constexpr std::size_t kCount = 5001;
  with_type(GetParam().type, [&]<typename T>() {
    for (const std::size_t into : {0u, 1u, 2u}) {
      std::vector<std::vector<std::byte>> sources;
      for (int k = 0; k < 3; ++k) sources.push_back(random_buffer<T>(kCount));
      const auto before = sources;
      set_premuls(3);

      reduce(sources[into].data() + kSkew, pointers(sources, kSkew), kCount, spec());

      for (std::size_t i = 0; i < kCount; ++i) {
        const T wanted = oracle<T>(before, i);
        const T got = element<T>(sources[into], i);
        ASSERT_EQ(std::memcmp(&wanted, &got, sizeof got), 0) << "into " << into << ", " << i;
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, Reduce, testing::ValuesIn([] {
                           std::vector<Setting> settings;
                           for (const auto& type : kDataTypes)
                             for (const auto& op : kRedOps) settings.push_back({type.type, op.op});
                           return settings;
                         }()),
                         [](const auto& tested) {
                           return std::string(name_of(tested.param.type)) + "_" +
                                  std::string(name_of(tested.param.op));
                         });

// 2048 + 1 + 1 is 2050 in float, but stays 2048 when every partial sum is rounded to half.
TEST(ReduceOfHalf, AccumulatesInFloatAndRoundsOnce) {
  const Half values[] = {Half(2048.0f), Half(1.0f), Half(1.0f)};
  const std::byte* sources[3];
  for (int k = 0; k < 3; ++k) sources[k] = reinterpret_cast<const std::byte*>(&values[k]);
  Half result;

  reduce(reinterpret_cast<std::byte*>(&result), sources, 1, {.type = DataType::float16});

  EXPECT_EQ(static_cast<float>(result), 2050.0f);
}

TEST(ReduceOfIntegers, DividesTheWrappedSumTowardsZero) {
  const std::int8_t values[] = {100, 100};  // wraps to -56
  const std::byte* sources[] = {reinterpret_cast<const std::byte*>(&values[0]),
                                reinterpret_cast<const std::byte*>(&values[1])};
  std::int8_t result = 0;

  reduce(reinterpret_cast<std::byte*>(&result), sources, 1,
         {.type = DataType::int8, .op = RedOp::avg, .nranks = 5});

  EXPECT_EQ(result, -11);
}

}  // namespace
}  // namespace linerate
