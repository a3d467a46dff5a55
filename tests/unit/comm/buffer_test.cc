// Buffers give their memory back exactly once.
#include "comm/buffer.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace linerate {
namespace {

class BufferMemory : public testing::Test {
 protected:
  Buffer make() {
    return Buffer(memory_, MemoryKind::host, [this](View view) {
      EXPECT_EQ(view.data(), memory_.data());
      ++released_;
    });
  }

  std::vector<std::byte> memory_ = std::vector<std::byte>(100);
  int released_ = 0;
};

TEST_F(BufferMemory, ReleaseOnDestruction) {
  { const auto buffer = make(); }

  EXPECT_EQ(released_, 1);
}

TEST_F(BufferMemory, ReleaseOnceAfterMoves) {
  {
    auto first = make();
    Buffer second(std::move(first));
    Buffer third;
    third = std::move(second);
    EXPECT_EQ(third.bytes(), 100u);
    EXPECT_EQ(released_, 0);
  }

  EXPECT_EQ(released_, 1);
}

TEST_F(BufferMemory, ReleaseWhatAnAssignmentReplaces) {
  auto buffer = make();

  buffer = Buffer();

  EXPECT_EQ(released_, 1);
  EXPECT_EQ(buffer.bytes(), 0u);
}

TEST_F(BufferMemory, ViewParts) {
  const auto buffer = make();

  EXPECT_EQ(buffer.view(10, 20).data(), memory_.data() + 10);
  EXPECT_EQ(buffer.view(100, 0).size(), 0u);
}

}  // namespace
}  // namespace linerate
