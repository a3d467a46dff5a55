// The largest elements of an array, against a sort.
#include "unit/devices/math/math_fixture.h"

#include <cstdint>
#include <limits>
#include <numeric>

namespace linerate::math_test {
namespace {

// The indices that are taken, by their definition.
std::vector<std::int32_t> largest_indices(const Values& values, std::size_t kept) {
  const auto size = [&](std::int32_t i) {
    const double value = values[static_cast<std::size_t>(i)];
    return std::isnan(value) ? std::numeric_limits<double>::infinity() : std::abs(value);
  };
  std::vector<std::int32_t> indices(values.size());
  std::iota(indices.begin(), indices.end(), 0);
  std::ranges::stable_sort(indices, std::greater<>(), size);
  indices.resize(kept);
  std::ranges::sort(indices);
  return indices;
}

class TopKOf : public EveryType {
 protected:
  // Checks what is taken, and yields what is left.
  Values take(Values from, std::size_t kept) {
    Tensor x(GetParam(), from);
    from = x.values();
    Tensor values = zeros(kept);
    std::vector<std::int32_t> indices(kept, -1);
    math().take_top_k({.count = from.size(),
                       .kept = kept,
                       .x = x.array(),
                       .values = values.array(),
                       .indices = indices.data()},
                      stream());
    EXPECT_EQ(indices, largest_indices(from, kept));
    const Values taken = values.values();
    for (std::size_t i = 0; i < kept; ++i) {
      auto& value = from[static_cast<std::size_t>(indices[i])];
      EXPECT_EQ(std::bit_cast<std::uint64_t>(taken[i]), std::bit_cast<std::uint64_t>(value));
      value = 0;
    }
    EXPECT_EQ(x.values(), from);
    return from;
  }
};

TEST_P(TopKOf, TakesTheLargestByMagnitude) {
  for (const std::size_t kept : {0, 1, 2, 10, 999, 1000}) take(random_values(1000, 3), kept);
}

TEST_P(TopKOf, TakesTheFirstOfEqualOnes) {
  take({1, -2, 2, 0, 2, -2, 1}, 3);
  take(Values(64), 5);
}

TEST_P(TopKOf, TakesWhatIsNotFiniteFirst) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const auto left = take({5, nan, 7, -infinity, 6}, 3);

  EXPECT_EQ(left, (Values{5, 0, 0, 0, 6}));
}

TEST_P(TopKOf, IsAddedWhereItWas) {
  Tensor x(GetParam(), {1, 2, 3, 4, 5});
  Tensor values(GetParam(), {10, -20});
  std::vector<std::int32_t> indices{1, 4};

  math().add_at(
      {.count = 5, .kept = 2, .x = x.array(), .values = values.array(), .indices = indices.data()},
      stream());

  EXPECT_EQ(x.values(), (Values{1, 12, 3, 4, -15}));
}

INSTANTIATE_TEST_SUITE_P(Types, TopKOf, kEveryType, type_name);

}  // namespace
}  // namespace linerate::math_test
