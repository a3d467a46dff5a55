// Which window a call's buffers are in.
#include "backends/nccl/device_api/windows.h"

#include <gtest/gtest.h>

#include <array>
#include <span>

namespace linerate::nccl {
namespace {

class TwoWindows : public testing::Test {
 protected:
  TwoWindows() {
    windows_.add(std::span(memory_).subspan(0, 64), &first_);
    windows_.add(std::span(memory_).subspan(64, 64), &second_);
  }
  WindowPlace find(std::size_t offset, std::size_t bytes) const {
    return windows_.find(std::span(memory_).subspan(offset, bytes));
  }

  std::array<std::byte, 256> memory_{};
  std::array<char, 2> handles_{};
  ncclWindow_t first_ = reinterpret_cast<ncclWindow_t>(&handles_[0]);
  ncclWindow_t second_ = reinterpret_cast<ncclWindow_t>(&handles_[1]);
  Windows windows_;
};

TEST_F(TwoWindows, AreFoundWithTheOffsetInThem) {
  EXPECT_EQ(find(0, 64).window, first_);
  EXPECT_EQ(find(0, 64).offset, 0u);
  EXPECT_EQ(find(72, 56).window, second_);
  EXPECT_EQ(find(72, 56).offset, 8u);
}

TEST_F(TwoWindows, HoldNothingThatIsPartlyOutside) {
  EXPECT_EQ(find(32, 64).window, nullptr);
  EXPECT_EQ(find(120, 16).window, nullptr);
  EXPECT_EQ(find(200, 8).window, nullptr);
}

TEST_F(TwoWindows, AreLookedAtWhenTheyAreAskedFor) {
  const ncclWindow_t made_late = first_;
  first_ = nullptr;
  EXPECT_EQ(find(0, 8).window, nullptr);

  first_ = made_late;

  EXPECT_EQ(find(0, 8).window, made_late);
}

TEST_F(TwoWindows, AreGoneOnceRemoved) {
  windows_.remove(&first_);

  EXPECT_EQ(find(0, 8).window, nullptr);
  EXPECT_EQ(find(64, 8).window, second_);
}

}  // namespace
}  // namespace linerate::nccl
