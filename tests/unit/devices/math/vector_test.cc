// Vectors on every instruction set that this processor has: exp, sums, partial loads and stores.
#include "devices/cpu/math/vector.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace linerate::cpu {
namespace {

// Runs `kernel` for each instruction set.
template <typename Kernel>
void on_each(const Kernel& kernel) {
  kernel(Baseline{});
  if (has_avx2() && has_fma()) run_on_avx2(kernel);
  if (has_avx512() && has_fma()) run_on_avx512(kernel);
}

template <typename W, typename Isa>
LINERATE_INLINE std::vector<W> exp_of(const std::vector<W>& x) {
  using S = Simd<W, Isa>;
  std::vector<W> y(x.size());
  each_vector<S>(x.size(), [&](std::size_t i, std::size_t lanes) LINERATE_KERNEL {
    S::store(y.data() + i, S::exp(S::load(x.data() + i, lanes)), lanes);
  });
  return y;
}

template <typename W>
void expect_exp_within_2_ulp(W least, W most) {
  std::vector<W> x;
  for (int i = 0; i <= 100003; ++i)
    x.push_back(least + (most - least) * static_cast<W>(i) / 100003);
  on_each([&]<typename Isa>(Isa) LINERATE_KERNEL {
    const std::vector<W> y = exp_of<W, Isa>(x);

    for (std::size_t i = 0; i < x.size(); ++i) {
      const long double exact = std::exp(static_cast<long double>(x[i]));
      const W unit = std::nextafter(static_cast<W>(exact), std::numeric_limits<W>::infinity()) -
                     static_cast<W>(exact);
      ASSERT_LE(std::abs(static_cast<long double>(y[i]) - exact), 2 * unit)
          << "exp(" << x[i] << ") with " << Isa::kBytes << "-byte vectors";
    }
  });
}

TEST(Vector, ExpIsWithin2UnitsInTheLastPlace) {
  expect_exp_within_2_ulp<float>(-87.3f, 88.3f);
  expect_exp_within_2_ulp<float>(-1, 1);
  expect_exp_within_2_ulp<double>(-708, 709);
  expect_exp_within_2_ulp<double>(-1, 1);
}

TEST(Vector, ExpOfWhatIsOutOfRange) {
  const std::vector<float> x{0, -100, -1e30f, -INFINITY, 89, 1e30f, INFINITY, NAN};
  on_each([&]<typename Isa>(Isa) LINERATE_KERNEL {
    const std::vector<float> y = exp_of<float, Isa>(x);

    EXPECT_EQ(std::vector<float>(y.begin(), y.end() - 1),
              (std::vector<float>{1, 0, 0, 0, INFINITY, INFINITY, INFINITY}));
    EXPECT_TRUE(std::isnan(y.back()));
  });
}

TEST(Vector, FoldsLanes) {
  on_each([&]<typename Isa>(Isa) LINERATE_KERNEL {
    using S = Simd<float, Isa>;
    const auto lanes = __builtin_convertvector(S::lane_numbers(), typename S::V);
    const float last = static_cast<float>(S::kLanes - 1);

    EXPECT_EQ(S::sum(lanes), last * (last + 1) / 2);
    EXPECT_EQ(S::largest(lanes), last);
    EXPECT_EQ(S::sum(S::first_lanes(lanes, 3)), 0 + 1 + 2);
  });
}

TEST(Vector, ReadsAndWritesNothingBehindTheCount) {
  on_each([&]<typename Isa>(Isa) LINERATE_KERNEL {
    using S = Simd<float, Isa>;
    std::vector<BFloat16> from(S::kLanes, BFloat16(3.0f)), to(S::kLanes, BFloat16(7.0f));

    const auto value = S::load(from.data(), S::kLanes - 1);
    S::store(to.data(), value, 2);

    EXPECT_EQ(S::sum(value), 3 * static_cast<float>(S::kLanes - 1));
    EXPECT_EQ(static_cast<float>(to[1]), 3);
    EXPECT_EQ(static_cast<float>(to[2]), 7);
  });
}

// Every value of T, what lies between two of them, ties, and what is too large.
template <typename T>
std::vector<float> hard_floats() {
  std::vector<float> values{1e-45f, 1e30f, -1e30f, 65519, 65520, 65536};
  for (std::uint32_t raw = 0; raw < 0x10000; ++raw) {
    const float value = static_cast<float>(T::from_bits(static_cast<std::uint16_t>(raw)));
    const float next = static_cast<float>(T::from_bits(static_cast<std::uint16_t>(raw + 1)));
    const float tie = value + (next - value) / 2;
    values.insert(values.end(), {value, tie, std::nextafter(tie, 1e30f), std::nextafter(tie, 0.f)});
  }
  return values;
}

template <typename T>
void expect_conversions_of_one_element() {
  const std::vector<float> from = hard_floats<T>();
  on_each([&]<typename Isa>(Isa) LINERATE_KERNEL {
    using S = Simd<float, Isa>;
    std::vector<T> narrow(from.size());
    std::vector<float> wide(from.size());
    each_vector<S>(from.size(), [&](std::size_t i, std::size_t lanes) LINERATE_KERNEL {
      S::store(narrow.data() + i, S::load(from.data() + i, lanes), lanes);
      S::store(wide.data() + i, S::load(narrow.data() + i, lanes), lanes);
    });

    for (std::size_t i = 0; i < from.size(); ++i) {
      const float expected = static_cast<float>(T(from[i]));
      if (std::isnan(from[i]))
        ASSERT_TRUE(std::isnan(wide[i]));
      else
        ASSERT_EQ(std::bit_cast<std::uint32_t>(wide[i]), std::bit_cast<std::uint32_t>(expected))
            << from[i] << " with " << Isa::kBytes << "-byte vectors";
    }
  });
}

TEST(Vector, RoundsAndWidensAsOneElementDoes) {
  expect_conversions_of_one_element<Half>();
  expect_conversions_of_one_element<BFloat16>();
}

}  // namespace
}  // namespace linerate::cpu
