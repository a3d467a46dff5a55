// Averages over many ranks: what is expected against a naive sum and quotient in double.
#include "pattern/pattern.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace linerate {
namespace {

constexpr std::size_t kCount = 64;

template <typename T>
std::vector<T> filled(const Content& content) {
  std::vector<T> values(kCount);
  pattern::fill(std::as_writable_bytes(std::span(values)), content);
  return values;
}

// Each element's mean over all ranks' inputs, exact in double but for the division.
template <typename T>
std::vector<double> means(Content content) {
  std::vector<double> sums(kCount);
  for (content.rank = 0; content.rank < content.nranks; ++content.rank) {
    const auto input = filled<T>(content);
    for (std::size_t i = 0; i < kCount; ++i)
      sums[i] += static_cast<double>(static_cast<float>(input[i]));
  }
  for (double& sum : sums) sum /= content.nranks;
  return sums;
}

class Average : public testing::TestWithParam<DataType> {};

// Of f8e4m3 the quotients become subnormal at 5121 ranks, and tie between two of these at 32768.
TEST_P(Average, IsTheNearestEvenElementOverManyRanksToo) {
  with_type(GetParam(), [&]<typename T>() {
    if constexpr (std::is_class_v<T>) {
      for (const int nranks : {2, 7, 5120, 5121, 10240, 32768, 65536}) {
        Content content{.type = GetParam(), .op = RedOp::avg, .nranks = nranks, .seed = 5};
        const auto wanted = means<T>(content);

        content.kind = Content::Kind::reduction;
        const auto expected = filled<T>(content);

        for (std::size_t i = 0; i < kCount; ++i)
          ASSERT_EQ(expected[i].bits, T(static_cast<float>(wanted[i])).bits)
              << nranks << " ranks, element " << i << ": " << wanted[i];
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(SmallFloats, Average,
                         testing::Values(DataType::float16, DataType::bfloat16, DataType::f8e4m3,
                                         DataType::f8e5m2),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

}  // namespace
}  // namespace linerate
