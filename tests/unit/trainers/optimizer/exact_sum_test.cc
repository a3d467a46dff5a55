// Exact sums beside two other ways of exact arithmetic: Shewchuk's partial sums, and integers.
#include "trainers/optimizer/exact_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace linerate::trainers {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double exact(std::span<const double> values) {
  ExactSum sum;
  sum.add(values);
  return sum.value();
}
double exact(std::initializer_list<double> values) {
  return exact(std::span(values.begin(), values.size()));
}

template <typename T>
ExactSum squares(std::vector<T> values, DataType type) {
  ExactSum sum;
  sum.add_squares({reinterpret_cast<std::byte*>(values.data()), type}, values.size());
  return sum;
}
ExactSum squares(const std::vector<float>& values) { return squares(values, DataType::float32); }

// Partial sums that do not overlap, from the least (Shewchuk 1997); the last one is rounded as
// Python's math.fsum does.
double partial_sums(std::span<const double> values) {
  std::vector<double> partials;
  for (double x : values) {
    std::size_t kept = 0;
    for (double y : partials) {
      if (std::abs(x) < std::abs(y)) std::swap(x, y);
      const double high = x + y, low = y - (high - x);
      if (low != 0) partials[kept++] = low;
      x = high;
    }
    partials.resize(kept);
    partials.push_back(x);
  }
  double high = 0, low = 0;
  while (!partials.empty() && low == 0) {
    const double x = high, y = partials.back();
    partials.pop_back();
    high = x + y;
    low = y - (high - x);
  }
  if (!partials.empty() && low != 0 && (low < 0) == (partials.back() < 0)) {
    const double twice = 2 * low, moved = high + twice;
    if (twice == moved - high) high = moved;
  }
  return high;
}

// Of any bits: all exponents, subnormals and both signs.
double any_double(std::mt19937_64& random) {
  for (;;) {
    const auto value = std::bit_cast<double>(random());
    if (std::isfinite(value) && std::abs(value) < 1e300) return value;
  }
}

TEST(ExactSum, OfNothingIsZero) { EXPECT_EQ(ExactSum().value(), 0); }

TEST(ExactSum, OfOneValueIsThatValue) {
  std::mt19937_64 random(1);
  for (const double value : {0.0, 1.0, -1.0, DBL_MIN, DBL_TRUE_MIN, -DBL_TRUE_MIN, DBL_MAX,
                             -DBL_MAX, DBL_MIN - DBL_TRUE_MIN})
    EXPECT_EQ(exact({value}), value);
  for (int i = 0; i < 1000; ++i) {
    const auto value = any_double(random);
    EXPECT_EQ(exact({value}), value);
  }
}

TEST(ExactSum, KeepsWhatDoublesLose) {
  EXPECT_EQ(exact({1e100, 1.0, -1e100}), 1.0);
  EXPECT_EQ(exact({DBL_MAX, DBL_TRUE_MIN, -DBL_MAX}), DBL_TRUE_MIN);
  EXPECT_EQ(exact({DBL_MAX, DBL_MAX, -DBL_MAX}), DBL_MAX);
  EXPECT_EQ(exact({-1e308, -1e308, 1e308, 1e308, -1.5}), -1.5);
}

TEST(ExactSum, RoundsToNearestEven) {
  const double ulp = DBL_EPSILON;

  EXPECT_EQ(exact({1.0, ulp / 2}), 1.0);
  EXPECT_EQ(exact({1.0 + ulp, ulp / 2}), 1.0 + 2 * ulp);
  EXPECT_EQ(exact({1.0, ulp / 2, DBL_TRUE_MIN}), 1.0 + ulp);
  EXPECT_EQ(exact({1.0, ulp / 2, -DBL_TRUE_MIN}), 1.0);
  EXPECT_EQ(exact({-1.0 - ulp, -ulp / 2}), -1.0 - 2 * ulp);
  EXPECT_EQ(exact({2.0 - ulp, ulp / 2}), 2.0);  // carries into the exponent
}

TEST(ExactSum, BeyondTheRangeIsInfinite) {
  EXPECT_EQ(exact({DBL_MAX, DBL_MAX}), kInfinity);
  EXPECT_EQ(exact({-DBL_MAX, -DBL_MAX}), -kInfinity);
  const double half_ulp = std::ldexp(1.0, 970);
  EXPECT_EQ(exact({DBL_MAX, half_ulp}), kInfinity);  // a tie, to even
  EXPECT_EQ(exact({DBL_MAX, std::nextafter(half_ulp, 0)}), DBL_MAX);
}

TEST(ExactSum, TellsWhatIsNotFinite) {
  EXPECT_EQ(exact({1.0, kInfinity}), kInfinity);
  EXPECT_EQ(exact({-kInfinity, 1.0}), -kInfinity);
  EXPECT_TRUE(std::isnan(exact({kInfinity, -kInfinity})));
  EXPECT_TRUE(std::isnan(exact({1.0, kNan})));

  ExactSum sum;
  sum.add(DBL_MAX);
  sum.add(DBL_MAX);
  EXPECT_TRUE(sum.finite());
  sum.add(kNan);
  EXPECT_FALSE(sum.finite());
}

TEST(ExactSum, EqualsPartialSumsOverTheWholeRange) {
  std::mt19937_64 random(2);
  for (int repeat = 0; repeat < 200; ++repeat) {
    std::vector<double> values(50);
    for (auto& value : values) value = any_double(random);
    // Most cancels: what is left is of any size.
    for (std::size_t i = 0; i < 24; ++i) values[25 + i] = -values[i];

    EXPECT_EQ(exact(values), partial_sums(values));
  }
}

TEST(ExactSum, EqualsPartialSumsOfLongAccumulations) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> values(200'000);
  for (auto& value : values) value = normal(random);

  EXPECT_EQ(exact(values), partial_sums(values));
}

TEST(ExactSum, DependsOnNoOrder) {
  std::mt19937_64 random(4);
  std::vector<double> values(1000);
  for (auto& value : values) value = any_double(random);
  ExactSum before;
  before.add(values);

  for (int repeat = 0; repeat < 10; ++repeat) {
    std::ranges::shuffle(values, random);
    ExactSum after;
    after.add(values);
    EXPECT_EQ(after, before);
    EXPECT_EQ(after.value(), before.value());
  }
}

// As ranks do: each adds its part, and words are added up as integers.
TEST(ExactSum, IsTheSumOfWords) {
  std::mt19937_64 random(5);
  std::vector<double> values(997);
  for (auto& value : values) value = any_double(random);
  values.back() = -1e200;

  for (std::size_t nranks = 1; nranks <= 8; ++nranks) {
    std::vector<ExactSum> parts(nranks);
    for (std::size_t i = 0; i < values.size(); ++i) parts[i % nranks].add(values[i]);
    const auto words = parts[0].words();
    for (std::size_t rank = 1; rank < nranks; ++rank)
      for (std::size_t i = 0; i < words.size(); ++i) words[i] += parts[rank].words()[i];

    EXPECT_EQ(parts[0].value(), partial_sums(values)) << nranks;
    parts[0].add(1e200);  // and goes on
    EXPECT_EQ(parts[0].value(), partial_sums(std::span(values).first(996))) << nranks;
  }
}

TEST(ExactSum, AddsOthers) {
  std::mt19937_64 random(6);
  ExactSum whole, first, second;
  for (int i = 0; i < 500; ++i) {
    const auto value = any_double(random);
    whole.add(value);
    (i % 3 == 0 ? first : second).add(value);
  }

  first.add(second);

  EXPECT_EQ(first, whole);
}

// Of words that are each as large as they may be: the highest number of ranks.
TEST(ExactSum, HoldsTheWordsOfManyRanks) {
  ExactSum sum;
  sum.add(-DBL_TRUE_MIN);  // every digit is 2^32 - 1
  const auto words = sum.words();
  for (auto& word : words) word *= 1 << 30;

  EXPECT_EQ(sum.value(), -DBL_TRUE_MIN * (1 << 30));
}

// Whole numbers below 2^24 whose squares add up within 128 bits.
TEST(SquareSum, EqualsIntegers) {
  std::mt19937_64 random(7);
  for (const std::size_t count : {1, 3, 4, 5, 1000, 300'000}) {
    std::vector<float> values(count);
    unsigned __int128 sum = 0;
    for (auto& value : values) {
      const auto integer = static_cast<std::int64_t>(random() % (1 << 25)) - (1 << 24);
      value = static_cast<float>(integer);
      sum += static_cast<unsigned __int128>(integer * integer);
    }

    ExactSum expected;  // as three exact doubles
    for (int i = 0; i < 3; ++i)
      expected.add(std::ldexp(static_cast<double>(static_cast<std::uint64_t>(sum >> 44 * i) &
                                                  ((std::uint64_t{1} << 44) - 1)),
                              44 * i));

    EXPECT_EQ(squares(values), expected) << count;
  }
}

// A block of the largest mantissas: the sums of each exponent are as large as they get.
TEST(SquareSum, HoldsBlocksOfTheLargestMantissas) {
  const float value = std::nextafter(2.0f, 0.0f);
  const std::vector<float> values((4 << 16) + 7, value);

  const double square = double{value} * double{value};
  ExactSum expected;
  for (std::size_t i = 0; i < values.size(); ++i) expected.add(square);
  EXPECT_EQ(squares(values), expected);
}

TEST(SquareSum, OfEveryExponentIsExact) {
  std::mt19937 random(8);
  std::vector<float> values;
  ExactSum expected;
  while (values.size() < 100'000) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isfinite(value)) continue;
    values.push_back(value);
    expected.add(double{value} * double{value});  // exact: 48 bits, from 2^-298 to 2^256
  }
  for (const float value : {FLT_TRUE_MIN, FLT_MIN, FLT_MAX, 0.0f, -0.0f}) {
    values.push_back(value);
    expected.add(double{value} * double{value});
  }

  EXPECT_EQ(squares(values), expected);
}

TEST(SquareSum, TellsWhatIsNotFinite) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> values(1000, 1.0f);
  EXPECT_TRUE(squares(values).finite());

  values[37] = -inf;
  EXPECT_FALSE(squares(values).finite());
  EXPECT_EQ(squares(values).value(), kInfinity);

  values[38] = nan;
  EXPECT_TRUE(std::isnan(squares(values).value()));
}

TEST(SquareSum, TakesOtherTypes) {
  std::vector<Half> halves;
  std::vector<BFloat16> brains;
  for (const float value : {1.5f, -0.25f, 65504.0f, 6e-8f}) {
    halves.emplace_back(value);
    brains.emplace_back(value);
  }
  ExactSum half, brain;
  for (const auto value : halves) half.add(double{float{value}} * double{float{value}});
  for (const auto value : brains) brain.add(double{float{value}} * double{float{value}});

  EXPECT_EQ(squares(halves, DataType::float16), half);
  EXPECT_EQ(squares(brains, DataType::bfloat16), brain);
}

TEST(SquareSum, OfDoublesIsExact) {
  const double value = 1 + DBL_EPSILON;  // its square has 105 bits
  ExactSum expected;
  for (const double part : {1.0, 2 * DBL_EPSILON, DBL_EPSILON * DBL_EPSILON}) expected.add(part);

  EXPECT_EQ(squares(std::vector{value}, DataType::float64), expected);
  EXPECT_FALSE(squares(std::vector{1e200}, DataType::float64).finite());
}

}  // namespace
}  // namespace linerate::trainers
