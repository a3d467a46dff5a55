// The host's memory as a device.
#include "devices/cpu/cpu_device.h"

#include "base/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace linerate {
namespace {

class CpuDevice : public testing::Test {
 protected:
  ManualClock clock_;
  std::unique_ptr<Device> device_ = make_cpu_device(3, clock_);
};

TEST_F(CpuDevice, SaysWhatItIs) {
  EXPECT_TRUE(device_->name().starts_with("host memory (")) << device_->name();
  EXPECT_EQ(device_->kind(), DeviceKind::cpu);
  EXPECT_EQ(device_->index(), 3);
  EXPECT_EQ(&device_->clock(), &clock_);
}

TEST_F(CpuDevice, AllocatesZeroedMemoryOfTheKindAskedFor) {
  for (const std::size_t bytes : {1u, 4096u, 5000u, 3u << 20}) {
    const auto buffer = device_->allocate(bytes, MemoryKind::pinned);

    EXPECT_EQ(buffer.bytes(), bytes);
    EXPECT_EQ(buffer.kind(), MemoryKind::pinned);
    const auto view = buffer.view();
    EXPECT_TRUE(std::all_of(view.begin(), view.end(), [](auto b) { return b == std::byte{0}; }));
  }
}

TEST_F(CpuDevice, AlignsLargeBuffersToHugePages) {
  constexpr std::uintptr_t kHugePage = 2u << 20;
  for (int i = 0; i < 4; ++i) {
    const auto buffer = device_->allocate((5u << 20) + 123, MemoryKind::host);

    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % kHugePage, 0u);
  }
}

TEST_F(CpuDevice, AllocatesNothingAsAnEmptyBuffer) {
  EXPECT_EQ(device_->allocate(0, MemoryKind::host).bytes(), 0u);
}

TEST_F(CpuDevice, RefusesMoreThanIsFree) {
  const std::size_t bytes = device_->free_bytes() * 2;

  EXPECT_THROW((void)device_->allocate(bytes, MemoryKind::host), Error);
}

TEST_F(CpuDevice, FillsAndCompares) {
  const auto buffer = device_->allocate(4000, MemoryKind::host);
  const Content content{.rank = 1, .nranks = 2};

  device_->fill(buffer.view(), content);

  EXPECT_EQ(device_->count_wrong(buffer.view(), content).wrong, 0u);
}

TEST_F(CpuDevice, StreamsAreAlwaysIdle) {
  const auto stream = device_->stream();

  stream->synchronize(Deadline::after(clock_, 1));

  EXPECT_TRUE(stream->idle());
}

}  // namespace
}  // namespace linerate
