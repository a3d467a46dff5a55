// A sum over leaves has the same bits however they are dealt out.
#include "trainers/parallel/tree_sum.h"

#include "base/clock.h"
#include "devices/cpu/cpu_device.h"
#include "devices/cpu/math/cpu_math.h"

#include <gtest/gtest.h>

#include <cstring>

namespace linerate::trainers {
namespace {

constexpr std::size_t kCount = 3;

class TreeSumTest : public ::testing::Test {
 protected:
  Block leaf(std::size_t index) {
    auto block = arena_.allocate(Category::gradient, DataType::float32, kCount);
    const float values[kCount] = {1.0f / static_cast<float>(3 * index + 1),
                                  1e8f / static_cast<float>(index + 1),
                                  -0.1f * static_cast<float>(index)};
    std::memcpy(block.data(), values, sizeof values);
    return block;
  }
  // The sum over leaves, each rank adding its own [first, last) and handing its nodes on.
  std::vector<std::byte> sum(std::size_t leaves, const std::vector<std::size_t>& ends) {
    TreeSum total(leaves, kCount, DataType::float32);
    std::size_t first = 0;
    for (const auto end : ends) {
      TreeSum own(leaves, kCount, DataType::float32);
      for (auto i = first; i < end; ++i) own.add({0, i}, leaf(i), *math_, *stream_);
      std::vector<TreeNode> nodes;
      for (const auto& [at, node] : own.nodes()) {
        nodes.push_back(node.first);
        auto copy = arena_.allocate(Category::gradient, DataType::float32, kCount);
        device_->copy(copy.view(), node.second.view(), *stream_);
        total.add(node.first, std::move(copy), *math_, *stream_);
      }
      EXPECT_EQ(nodes, nodes_of(first, end, leaves));
      first = end;
    }
    EXPECT_TRUE(total.complete());
    const auto result = total.take();
    return {result.view().begin(), result.view().end()};
  }

  SteadyClock clock_;
  std::unique_ptr<Device> device_ = make_cpu_device(0, clock_);
  std::unique_ptr<Stream> stream_ = device_->stream();
  std::unique_ptr<Math> math_ = make_cpu_math();
  Arena arena_{*device_};
};

TEST_F(TreeSumTest, HasTheSameBitsForAnyDivision) {
  for (std::size_t leaves = 1; leaves <= 13; ++leaves) {
    const auto whole = sum(leaves, {leaves});
    for (std::size_t cut = 0; cut <= leaves; ++cut)
      for (std::size_t next = cut; next <= leaves; ++next)
        EXPECT_EQ(sum(leaves, {cut, next, leaves}), whole) << leaves << " " << cut << " " << next;
  }
}

TEST_F(TreeSumTest, OfAQuarterIsOneNode) {
  EXPECT_EQ(nodes_of(4, 8, 16), (std::vector<TreeNode>{{2, 1}}));
  EXPECT_EQ(nodes_of(0, 16, 16), (std::vector<TreeNode>{{4, 0}}));
  EXPECT_EQ(nodes_of(3, 3, 16), std::vector<TreeNode>{});
}

}  // namespace
}  // namespace linerate::trainers
