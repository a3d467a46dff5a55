// Tests of fake_device.h: how calls are numbered.
#include "backends/fake/fake_device.h"

#include <gtest/gtest.h>

#include <thread>

namespace linerate::fake {
namespace {

TEST(FakeDevice, GivesEveryCallOfSeveralThreadsANumberOfItsOwn) {
  constexpr std::uint64_t kCalls = 200'000;
  FakeDevice device(0);
  const auto call_often = [&] {
    for (std::uint64_t i = 0; i < kCalls; ++i) (void)device.next_call();
  };

  {
    const std::jthread other(call_often);
    call_often();
  }

  EXPECT_EQ(device.next_call(), 2 * kCalls + 1);
}

}  // namespace
}  // namespace linerate::fake
