// Tests of arena.h and region.h: the mapping, between processes too.
#include "backends/host/arena.h"

#include "backends/host/region.h"
#include "base/error.h"
#include "processes.h"

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace linerate::host {
namespace {

constexpr ArenaLayout kSmall{
    .nranks = 2, .control_bytes = kHugePageBytes, .region_bytes = 32 * kHugePageBytes};

// Pages that the memory file holds.
std::size_t present_bytes(int file) {
  struct stat status {};
  EXPECT_EQ(fstat(file, &status), 0);
  return static_cast<std::size_t>(status.st_blocks) * 512;
}

TEST(Arena, IsSharedWithAProcessThatMapsTheSameFileElsewhere) {
  FileDescriptor file = create_memory_file();
  const int fd = file.get();
  const Arena mine(std::move(file), kSmall);
  const std::size_t offset = kSmall.region_offset(1) + 100;
  std::memcpy(mine.at(offset), "parent", 7);

  const int code = exit_code_of_child([&] {
    const Arena theirs(FileDescriptor(dup(fd)), kSmall);
    if (theirs.at(0) == mine.at(0)) return 1;
    if (std::strcmp(reinterpret_cast<char*>(theirs.at(offset)), "parent") != 0) return 2;
    std::memcpy(theirs.at(offset), "child", 6);
    return 0;
  });

  EXPECT_EQ(code, 0);
  EXPECT_STREQ(reinterpret_cast<char*>(mine.at(offset)), "child");
}

TEST(Arena, LocatesItsOwnBytesByOffsetAndOthersByAddress) {
  const Arena arena(create_memory_file(), kSmall);
  std::byte elsewhere{};

  const Location inside = arena.locate(arena.at(12345));
  const Location outside = arena.locate(&elsewhere);

  EXPECT_FALSE(inside.is_private());
  EXPECT_EQ(inside.offset(), 12345u);
  EXPECT_EQ(arena.address_of(inside), arena.at(12345));
  EXPECT_TRUE(outside.is_private());
  EXPECT_EQ(arena.address_of(outside), &elsewhere);
  EXPECT_FALSE(arena.contains(arena.at(0) + kSmall.bytes()));
}

TEST(Arena, TakesNoMemoryUntilItIsTouched) {
  FileDescriptor file = create_memory_file();
  const int fd = file.get();

  const Arena arena(std::move(file), kSmall);
  const std::size_t at_first = present_bytes(fd);
  arena.populate(kSmall.region_offset(0), 1 << 20);

  EXPECT_EQ(at_first, 0u);
  EXPECT_EQ(present_bytes(fd), std::size_t{1} << 20);
}

TEST(Arena, WithoutAFileIsMemoryThatChildrenDoNotHave) {
  const Arena arena(FileDescriptor(), kSmall);
  const std::size_t offset = kSmall.region_offset(1);
  arena.populate(offset, kHugePageBytes);
  std::memcpy(arena.at(offset), "kept", 5);

  const int code = exit_code_of_child([&] {
    unsigned char present = 0;
    return mincore(arena.at(offset), 1, &present) != 0 && errno == ENOMEM ? 0 : 1;
  });

  EXPECT_EQ(code, 0) << "children would make each write copy its page";
  EXPECT_STREQ(reinterpret_cast<char*>(arena.at(offset)), "kept");
  EXPECT_TRUE(arena.discard(offset, page_bytes()));
  EXPECT_EQ(arena.at(offset)[0], std::byte{0});
}

// Private memory counts against ulimit -d, files do not.
TEST(Arena, WithoutAFileMakesOneWhereMemoryIsLimited) {
#if defined(LINERATE_ASAN) || defined(LINERATE_TSAN)
  GTEST_SKIP() << "the sanitizer's shadow is larger than any limit";
#endif
  const int code = exit_code_of_child([] {
    const rlimit limit{.rlim_cur = kHugePageBytes, .rlim_max = kHugePageBytes};
    if (setrlimit(RLIMIT_DATA, &limit) != 0) return 1;
    const Arena arena(FileDescriptor(), kSmall);
    const std::size_t offset = kSmall.region_offset(0);
    arena.populate(offset, page_bytes());
    std::memset(arena.at(offset), 1, page_bytes());
    return arena.discard(offset, page_bytes()) && arena.at(offset)[0] == std::byte{0} ? 0 : 2;
  });

  EXPECT_EQ(code, 0);
}

TEST(Reservation, IsAsLargeAsWantedWithoutALimit) {
  EXPECT_EQ(reservable_bytes(std::size_t{1} << 30), std::size_t{1} << 30);
}

TEST(Reservation, LeavesRoomUnderAnAddressSpaceLimit) {
#if defined(LINERATE_ASAN) || defined(LINERATE_TSAN)
  GTEST_SKIP() << "the sanitizer's shadow is larger than any limit";
#endif
  const int code = exit_code_of_child([] {
    const rlimit limit{.rlim_cur = rlim_t{4} << 30, .rlim_max = rlim_t{4} << 30};
    if (setrlimit(RLIMIT_AS, &limit) != 0) return 1;
    const std::size_t bytes = reservable_bytes(std::size_t{16} << 40);
    return bytes >= (std::size_t{512} << 20) && bytes <= (std::size_t{2} << 30) ? 0 : 2;
  });

  EXPECT_EQ(code, 0);
}

TEST(Reservation, KeepsToTheLimitOfFileSizes) {
  constexpr std::size_t kLimit = std::size_t{1} << 30;

  const int code = exit_code_of_child([] {
    const rlimit limit{.rlim_cur = kLimit, .rlim_max = kLimit};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
    const std::size_t bytes = reservable_bytes(4 * kLimit);
    if (bytes > kLimit || bytes < kLimit / 4) return 2;
    const std::size_t whole = bytes / kHugePageBytes * kHugePageBytes;
    const Arena arena(create_memory_file(), {.nranks = 1, .region_bytes = whole});
    return 0;
  });

  EXPECT_EQ(code, 0);
}

// Where the refusal is missing, the kernel ends the process that takes most memory.
TEST(Region, RefusesMoreThanTheMachineHasFree) {
  const std::size_t all = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * page_bytes();
  const ArenaLayout layout{.nranks = 1,
                           .control_bytes = kHugePageBytes,
                           .region_bytes = 2 * round_up(all, kHugePageBytes)};
  const auto region =
      std::make_shared<Region>(std::make_shared<const Arena>(create_memory_file(), layout), 0);

  EXPECT_THROW((void)region->allocate(all + all / 2, MemoryKind::host), Error);
}

class RegionTest : public testing::Test {
 protected:
  RegionTest() {
    FileDescriptor file = create_memory_file();
    fd_ = file.get();
    region_ = std::make_shared<Region>(std::make_shared<const Arena>(std::move(file), kSmall), 1);
  }

  int fd_ = -1;
  std::shared_ptr<Region> region_;
};

TEST_F(RegionTest, HandsOutPresentMemoryOfItsOwnRank) {
  const Buffer buffer = region_->allocate(100'000, MemoryKind::host);

  EXPECT_TRUE(region_->arena().contains(buffer.data()));
  EXPECT_GE(region_->arena().locate(buffer.data()).offset(), kSmall.region_offset(1));
  EXPECT_GE(present_bytes(fd_), 100'000u);
  EXPECT_EQ(buffer.bytes(), 100'000u);
}

TEST_F(RegionTest, AlignsToCacheLinesAndLargeBuffersToHugePages) {
  const Buffer small = region_->allocate(1, MemoryKind::host);
  const Buffer other = region_->allocate(1, MemoryKind::host);
  const Buffer large = region_->allocate(3 << 20, MemoryKind::host);

  EXPECT_EQ(region_->arena().locate(small.data()).offset() % 64, 0u);
  EXPECT_EQ(region_->arena().locate(other.data()).offset() % 64, 0u);
  EXPECT_NE(small.data(), other.data());
  EXPECT_EQ(region_->arena().locate(large.data()).offset() % kHugePageBytes, 0u);
}

TEST_F(RegionTest, GivesThePagesOfLargeBuffersBack) {
  Buffer buffer = region_->allocate(4 << 20, MemoryKind::host);

  buffer = Buffer();

  EXPECT_EQ(present_bytes(fd_), 0u);
}

TEST_F(RegionTest, LivesAsLongAsItsBuffers) {
  Buffer buffer = region_->allocate(1000, MemoryKind::host);

  region_.reset();
  std::memset(buffer.data(), 1, buffer.bytes());

  EXPECT_EQ(buffer.view().back(), std::byte{1});
}

TEST_F(RegionTest, RefusesMoreThanItHolds) {
  EXPECT_THROW((void)region_->allocate(kSmall.region_bytes + 1, MemoryKind::host), Error);
  EXPECT_THROW((void)region_->allocate(static_cast<std::size_t>(-1), MemoryKind::host), Error);
}

TEST_F(RegionTest, UsesAControlBlockAgainOnceAllRanksHaveDetached) {
  const std::size_t first = region_->allocate_control(2);
  ControlBlock block(region_->arena().at(first), 2);
  block.slot(1).progress.set(77);

  const std::size_t second = region_->allocate_control(2);
  block.header().attached.store(0);
  const std::size_t third = region_->allocate_control(2);

  EXPECT_NE(second, first);
  EXPECT_EQ(third, first);
  EXPECT_EQ(block.slot(1).progress.value(), 0u);
  EXPECT_EQ(block.header().attached.load(), 2u);
}

}  // namespace
}  // namespace linerate::host
