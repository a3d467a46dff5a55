// Slices: together they cover the buffer, and no two share a cache line.
#include "backends/host/algorithms/pieces.h"

#include <gtest/gtest.h>

namespace linerate::host {
namespace {

TEST(Slices, CoverEveryElementOnceInOrder) {
  for (const int nparts : {1, 2, 3, 7, 64})
    for (const std::size_t count : {0u, 1u, 15u, 16u, 17u, 1000u, 1048577u}) {
      std::size_t next = 0;
      for (int part = 0; part < nparts; ++part) {
        const Range slice = slice_of(count, 4, part, nparts);
        EXPECT_EQ(slice.offset, next);
        next += slice.count;
      }
      EXPECT_EQ(next, count);
    }
}

TEST(Slices, BeginOnCacheLines) {
  for (int part = 0; part < 5; ++part) EXPECT_EQ(slice_of(100003, 8, part, 5).offset * 8 % 64, 0u);
}

TEST(Slices, DifferByOneCacheLineAtMost) {
  std::size_t least = 1 << 30, most = 0;
  for (int part = 0; part < 7; ++part) {
    const Range slice = slice_of(std::size_t{16} << 20, 1, part, 7);
    least = std::min(least, slice.count);
    most = std::max(most, slice.count);
  }

  EXPECT_LE(most - least, 64u);
}

TEST(Slices, OfHugeBuffersDoNotOverflow) {
  const std::size_t count = std::size_t{1} << 60;

  const Range last = slice_of(count, 1, 63, 64);

  EXPECT_EQ(last.offset + last.count, count);
  EXPECT_EQ(last.count, count / 64);
}

}  // namespace
}  // namespace linerate::host
