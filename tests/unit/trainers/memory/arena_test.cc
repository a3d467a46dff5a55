// What memory is for, what comes back, and what is not the arena's own.
#include "trainers/memory/arena.h"

#include "base/clock.h"
#include "devices/cpu/cpu_device.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace linerate::trainers {
namespace {

class ArenaOfAHost : public ::testing::Test {
 protected:
  SteadyClock clock_;
  const std::unique_ptr<Device> device_ = make_cpu_device(0, clock_);
  Arena arena_{*device_};
};

TEST_F(ArenaOfAHost, CountsNowAndAtMostByWhatItIsFor) {
  const auto parameters = arena_.allocate(Category::parameter, 100);
  { const auto live = arena_.allocate(Category::live, 50); }
  const auto gradients = arena_.allocate(Category::gradient, 30);

  EXPECT_EQ(arena_.bytes(Category::parameter).now, 100u);
  EXPECT_EQ(arena_.bytes(Category::live).now, 0u);
  EXPECT_EQ(arena_.bytes(Category::live).peak, 50u);
  EXPECT_EQ(arena_.total().now, 130u);
  EXPECT_EQ(arena_.total().peak, 150u);
}

TEST_F(ArenaOfAHost, GivesMemoryThatCameBackToTheNextOfItsSize) {
  const auto* const first = arena_.allocate(Category::live, 64).data();

  const auto again = arena_.allocate(Category::comm, 64);
  const auto other = arena_.allocate(Category::comm, 64);

  EXPECT_EQ(again.data(), first);
  EXPECT_EQ(arena_.reserved(), 128u);
  EXPECT_NE(other.data(), first);
}

TEST_F(ArenaOfAHost, CountsAdoptedMemoryForItsCategoryAloneAndReturnsIt) {
  bool returned = false;
  std::byte memory[64];
  {
    const auto block = arena_.adopt(
        Category::offloaded, Buffer(memory, MemoryKind::host, [&](View) { returned = true; }));
    EXPECT_EQ(arena_.bytes(Category::offloaded).now, 64u);
    EXPECT_EQ(arena_.total().peak, 0u);
    EXPECT_FALSE(returned);
  }
  EXPECT_TRUE(returned);
  EXPECT_EQ(arena_.bytes(Category::offloaded).now, 0u);
  EXPECT_NE(arena_.allocate(Category::comm, 64).data(), memory);
}

}  // namespace
}  // namespace linerate::trainers
