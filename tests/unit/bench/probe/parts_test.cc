// How passes go over memory: whole lines, one part after the other, small ones over and over.
#include "bench/probe/parts.h"

#include <gtest/gtest.h>

namespace linerate::probe {
namespace {

constexpr std::size_t kKiB = 1024, kPass = 64 * kKiB;

TEST(PartsOfMemory, AreOneWhereItIsSmall) {
  const auto parts = parts_of(16 * kKiB, kPass);

  EXPECT_EQ(parts.bytes, 16 * kKiB);
  EXPECT_EQ(parts.count, 1U);
  EXPECT_EQ(parts.loops, 4U);
}

TEST(PartsOfMemory, AreAPassEachWhereItIsLarge) {
  const auto parts = parts_of(10 * kPass + 100, kPass);

  EXPECT_EQ(parts.bytes, kPass);
  EXPECT_EQ(parts.count, 10U);
  EXPECT_EQ(parts.loops, 1U);
}

TEST(PartsOfMemory, AreWholeLines) {
  EXPECT_EQ(parts_of(1000, kPass).bytes, 960U);
  EXPECT_EQ(parts_of(1, kPass).bytes, kLineBytes);
}

// What does not divide a pass evenly makes it a little shorter, never longer.
TEST(PartsOfMemory, TakeNoMoreThanAPass) {
  for (std::size_t bytes = 64; bytes < 3 * kPass; bytes += 999) {
    const auto parts = parts_of(bytes, kPass);

    EXPECT_LE(parts.bytes * parts.loops, kPass) << bytes;
    EXPECT_GT(2 * parts.bytes * parts.loops, kPass) << bytes;
    EXPECT_LE(parts.bytes * parts.count, bytes) << bytes;
  }
}

}  // namespace
}  // namespace linerate::probe
