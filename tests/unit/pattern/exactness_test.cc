// The data's one promise: every order and tree of reduction in the type itself gives the same bits.
#include "pattern/pattern.h"
#include "unit/pattern/arithmetic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

namespace linerate {
namespace {

struct Setting {
  DataType type;
  RedOp op;
};

class Exactness : public testing::TestWithParam<Setting> {
 protected:
  template <typename T>
  std::vector<T> contents(Content content, std::size_t count) const {
    std::vector<T> values(count);
    pattern::fill(std::as_writable_bytes(std::span(values)), content);
    return values;
  }

  Content content(int nranks) const {
    return {.type = GetParam().type,
            .op = GetParam().op,
            .nranks = nranks,
            .seed = 7,
            .first_index = 4090};  // crosses a block of the generator
  }

  // All ranks' inputs, multiplied where the operator asks for it.
  template <typename T>
  std::vector<std::vector<T>> operands(int nranks, std::size_t count) const {
    std::vector<std::vector<T>> all;
    for (int rank = 0; rank < nranks; ++rank) {
      Content own = content(nranks);
      own.rank = rank;
      all.push_back(contents<T>(own, count));
      if (GetParam().op == RedOp::mulsum)
        for (T& value : all.back()) value = multiplied(value, static_cast<int>(premul_of(rank)));
    }
    return all;
  }

  // Repeatedly replaces two random operands by their combination: a random order in a random tree.
  template <typename T>
  T reduced_at_random(const std::vector<std::vector<T>>& all, std::size_t index,
                      std::mt19937& random) const {
    std::vector<T> left;
    for (const auto& operand : all) left.push_back(operand[index]);
    while (left.size() > 1) {
      std::swap(left[random() % left.size()], left.back());
      const T last = left.back();
      left.pop_back();
      T& other = left[random() % left.size()];
      other = combined(GetParam().op, other, last);
    }
    return left.front();
  }
};

TEST_P(Exactness, AnyOrderGivesTheExpectedReduction) {
  std::mt19937 random(1);
  with_type(GetParam().type, [&]<typename T>() {
    for (const int nranks : {1, 2, 3, 5, 8, 64, 1000}) {
      const std::size_t count = nranks > 64 ? 16 : 128;
      const auto all = operands<T>(nranks, count);
      std::vector<T> result;

      for (std::size_t i = 0; i < count; ++i) {
        const T total = reduced_at_random(all, i, random);
        result.push_back(GetParam().op == RedOp::avg ? divided(total, nranks) : total);
      }

      Content wanted = content(nranks);
      wanted.kind = Content::Kind::reduction;
      const auto compared = pattern::count_wrong(std::as_bytes(std::span(result)), wanted);
      EXPECT_EQ(compared.wrong, 0u)
          << nranks << " ranks; first at " << compared.first->index << ": expected "
          << compared.first->expected << ", got " << compared.first->got;
    }
  });
}

TEST_P(Exactness, SumsInAnyOrderAreTheSameBitsBeforeTheDivisionToo) {
  std::mt19937 random(2);
  with_type(GetParam().type, [&]<typename T>() {
    for (const int nranks : {3, 8, 100}) {
      const auto all = operands<T>(nranks, 64);
      for (std::size_t i = 0; i < 64; ++i) {
        const T one = reduced_at_random(all, i, random);
        const T other = reduced_at_random(all, i, random);
        ASSERT_EQ(std::memcmp(&one, &other, sizeof one), 0) << nranks << " ranks, element " << i;
      }
    }
  });
}

TEST_P(Exactness, NoValueIsPoisonWhereTheTypeHasRoom) {
  Content poison = content(8);
  poison.kind = Content::Kind::poison;
  Content reduction = content(8);
  reduction.kind = Content::Kind::reduction;
  with_type(GetParam().type, [&]<typename T>() {
    const bool wraps = std::is_integral_v<T> && sizeof(T) == 1 &&
                       (GetParam().op == RedOp::sum || GetParam().op == RedOp::mulsum);
    const T bits = contents<T>(poison, 1).front();
    const auto is_poison = [&](const T& v) { return std::memcmp(&v, &bits, sizeof v) == 0; };

    const auto inputs = contents<T>(content(8), 10000);
    const auto results = contents<T>(reduction, 10000);

    EXPECT_EQ(std::count_if(inputs.begin(), inputs.end(), is_poison), 0);
    if (!wraps) {
      EXPECT_EQ(std::count_if(results.begin(), results.end(), is_poison), 0);
    }
    if constexpr (!std::is_integral_v<T>) {
      EXPECT_TRUE(std::isnan(static_cast<float>(bits)));
    }
  });
}

std::vector<Setting> all_settings() {
  std::vector<Setting> settings;
  for (const auto& type : kDataTypes)
    for (const auto& op : kRedOps) settings.push_back({type.type, op.op});
  return settings;
}

INSTANTIATE_TEST_SUITE_P(All, Exactness, testing::ValuesIn(all_settings()), [](const auto& tested) {
  return std::string(name_of(tested.param.type)) + "_" + std::string(name_of(tested.param.op));
});

}  // namespace
}  // namespace linerate
