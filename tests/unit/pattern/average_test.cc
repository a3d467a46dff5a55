// Averages: what is expected against a naive sum and quotient in double, and how far a result may
// be from it.
#include "pattern/pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <string>
#include <vector>

namespace linerate {
namespace {

constexpr std::size_t kElements = 64;

template <typename T>
std::vector<T> filled(const Content& content) {
  std::vector<T> values(kElements);
  pattern::fill(std::as_writable_bytes(std::span(values)), content);
  return values;
}

// Each element's mean over all ranks' inputs, exact in double but for the division.
template <typename T>
std::vector<double> means(Content content) {
  std::vector<double> sums(kElements);
  for (content.rank = 0; content.rank < content.nranks; ++content.rank) {
    const auto input = filled<T>(content);
    for (std::size_t i = 0; i < kElements; ++i)
      sums[i] += static_cast<double>(static_cast<float>(input[i]));
  }
  for (double& sum : sums) sum /= content.nranks;
  return sums;
}

class Average : public testing::TestWithParam<DataType> {
 protected:
  Content content(int nranks, Content::Kind kind = Content::Kind::reduction) const {
    return {.kind = kind, .type = GetParam(), .op = RedOp::avg, .nranks = nranks, .seed = 5};
  }
};

// Of f8e4m3 the quotients become subnormal at 5121 ranks, and tie between two of these at 32768.
TEST_P(Average, IsTheNearestEvenElementOverManyRanksToo) {
  with_type(GetParam(), [&]<typename T>() {
    if constexpr (std::is_class_v<T>) {
      for (const int nranks : {2, 7, 5120, 5121, 10240, 32768, 65536}) {
        const auto wanted = means<T>(content(nranks, Content::Kind::input));

        const auto expected = filled<T>(content(nranks));

        for (std::size_t i = 0; i < kElements; ++i)
          ASSERT_EQ(expected[i].bits, T(static_cast<float>(wanted[i])).bits)
              << nranks << " ranks, element " << i << ": " << wanted[i];
      }
    }
  });
}

template <typename T>
using Exact = std::conditional_t<std::is_class_v<T>, float, T>;  // holds products and sums of two

// As NCCL does it: 1/n, each product and each sum are rounded to the element's type.
template <typename T>
std::vector<T> scaled_before_the_sum(Content content) {
  using Wide = Exact<T>;
  const auto rounded = [](Wide value) { return static_cast<Wide>(T(value)); };
  const Wide scale = rounded(Wide{1} / static_cast<Wide>(content.nranks));
  std::vector<Wide> sums(kElements);
  for (content.rank = 0; content.rank < content.nranks; ++content.rank) {
    const auto input = filled<T>(content);
    for (std::size_t i = 0; i < kElements; ++i)
      sums[i] = rounded(sums[i] + rounded(static_cast<Wide>(input[i]) * scale));
  }
  return {sums.begin(), sums.end()};
}

TEST_P(Average, AcceptsInputsScaledBeforeTheSum) {
  std::vector<int> all(80);
  std::iota(all.begin(), all.end(), 1);
  all.insert(all.end(), {96, 100, 113, 160});
  with_type(GetParam(), [&]<typename T>() {
    if constexpr (!std::is_integral_v<T>) {
      for (const int nranks : all) {
        const auto result = scaled_before_the_sum<T>(content(nranks, Content::Kind::input));

        EXPECT_EQ(pattern::count_wrong(std::as_bytes(std::span(result)), content(nranks)).wrong, 0U)
            << nranks << " ranks";
      }
    }
  });
}

// How many elements are wrong where the bits of each are `ulp` more than expected.
std::uint64_t wrong_when_off_by(std::uint64_t ulp, const Content& content) {
  std::uint64_t wrong = 0;
  with_type(content.type, [&]<typename T>() {
    auto values = filled<T>(content);
    for (T& value : values) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &value, sizeof value);
      bits += ulp;
      std::memcpy(static_cast<void*>(&value), &bits, sizeof value);
    }
    wrong = pattern::count_wrong(std::as_bytes(std::span(values)), content).wrong;
  });
  return wrong;
}

TEST_P(Average, OverAPowerOfTwoOfRanksIsExact) {
  for (const int nranks : {1, 2, 4, 8, 64, 1024})
    EXPECT_EQ(wrong_when_off_by(1, content(nranks)), kElements) << nranks << " ranks";
}

// 2 ULP of f8e5m2 would be half the value.
TEST_P(Average, OverOtherNumbersOfRanksIsWithinTheTypesOwnRounding) {
  const std::uint64_t allowed = bytes_of(GetParam()) == 1 ? 1 : 2;
  for (const int nranks : {3, 5, 6, 7, 12, 63}) {
    EXPECT_EQ(wrong_when_off_by(allowed, content(nranks)), 0U) << nranks << " ranks";
    EXPECT_EQ(wrong_when_off_by(allowed + 1, content(nranks)), kElements) << nranks << " ranks";
  }
}

INSTANTIATE_TEST_SUITE_P(Floats, Average,
                         testing::Values(DataType::float16, DataType::bfloat16, DataType::float32,
                                         DataType::float64, DataType::f8e4m3, DataType::f8e5m2),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

}  // namespace
}  // namespace linerate
