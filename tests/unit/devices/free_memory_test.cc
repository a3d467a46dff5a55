// Free memory as the kernel's files tell it, read from made-up trees of files.
#include "base/error.h"
#include "devices/cpu/cpu_device.h"
#include "support/folder.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>
#include <limits>

namespace linerate {
namespace {

namespace fs = std::filesystem;

class FreeMemory : public testing::Test {
 protected:
  FreeMemory() {
    write("proc/meminfo", "MemTotal:       2000 kB\nMemFree: 7 kB\nMemAvailable:   1000 kB\n");
  }
  void write(const std::string& file, const std::string& text) { folder_.write(file, text); }

  const TemporaryFolder folder_;
  const fs::path root_ = folder_.root();
};

TEST_F(FreeMemory, IsWhatTheSystemHasAvailable) {
  EXPECT_EQ(free_memory_bytes(root_), 1000u * 1024);
}

TEST_F(FreeMemory, IsWhatTheControlGroupLeaves) {
  write("proc/self/cgroup", "0::/job/step\n");
  write("sys/fs/cgroup/job/step/memory.max", "500000\n");
  write("sys/fs/cgroup/job/step/memory.current", "200000\n");

  EXPECT_EQ(free_memory_bytes(root_), 300000u);
}

TEST_F(FreeMemory, DoesNotCountFilePagesThatCanBeDropped) {
  write("proc/self/cgroup", "0::/job\n");
  write("sys/fs/cgroup/job/memory.max", "500000\n");
  write("sys/fs/cgroup/job/memory.current", "200000\n");
  write("sys/fs/cgroup/job/memory.stat", "anon 1\ninactive_file 150000\n");

  EXPECT_EQ(free_memory_bytes(root_), 450000u);
}

TEST_F(FreeMemory, ObeysTheTightestGroupAbove) {
  write("proc/self/cgroup", "0::/job/step\n");
  write("sys/fs/cgroup/job/step/memory.max", "max\n");
  write("sys/fs/cgroup/job/step/memory.current", "10\n");
  write("sys/fs/cgroup/job/memory.max", "4096\n");
  write("sys/fs/cgroup/job/memory.current", "96\n");

  EXPECT_EQ(free_memory_bytes(root_), 4000u);
}

TEST_F(FreeMemory, ReadsVersionOneGroupsToo) {
  write("proc/self/cgroup", "9:cpu:/\n4:freezer,memory:/box\n0::/\n");
  write("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "9000\n");
  write("sys/fs/cgroup/memory/box/memory.usage_in_bytes", "10000\n");

  EXPECT_EQ(free_memory_bytes(root_), 0u);
}

TEST_F(FreeMemory, FallsBackToTheMountWhereTheGroupIsNotVisible) {
  write("proc/self/cgroup", "0::/host/only/path\n");
  write("sys/fs/cgroup/memory.max", "7000\n");
  write("sys/fs/cgroup/memory.current", "1000\n");

  EXPECT_EQ(free_memory_bytes(root_), 6000u);
}

// 1000 KiB are free.
TEST_F(FreeMemory, CheckRefusesMoreThanThereIs) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  FreeMemoryCheck room(root_);

  EXPECT_THROW(room.check(kMiB, "memory"), Error);
  EXPECT_THROW(room.check(std::numeric_limits<std::size_t>::max(), "memory"), Error);
}

TEST_F(FreeMemory, CheckLooksOnceForEachMiB) {
  constexpr std::size_t kHalfMiB = std::size_t{1} << 19;
  FreeMemoryCheck room(root_);
  write("proc/meminfo", "MemAvailable:   1 kB\n");

  EXPECT_NO_THROW(room.check(kHalfMiB, "memory"));
  EXPECT_THROW(room.check(kHalfMiB, "memory"), Error);
  EXPECT_NO_THROW(room.check(kHalfMiB, "memory"));
}

TEST_F(FreeMemory, IgnoresLinesThatAreNone) {
  write("proc/self/cgroup", "\n:\nno colons\n0:\n");

  EXPECT_EQ(free_memory_bytes(root_), 1000u * 1024);
}

}  // namespace
}  // namespace linerate
