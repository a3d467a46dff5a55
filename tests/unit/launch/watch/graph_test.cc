// Who is linked to whom.
#include "launch/watch/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(ControlNeighbours, AreTheTreesAndTheRings) {
  EXPECT_THAT(control_neighbours(0, 1), IsEmpty());
  EXPECT_THAT(control_neighbours(0, 2), ElementsAre(1));
  EXPECT_THAT(control_neighbours(1, 3), ElementsAre(0, 2));
  EXPECT_THAT(control_neighbours(0, 10), ElementsAre(1, 2, 9));
  EXPECT_THAT(control_neighbours(4, 10), ElementsAre(1, 3, 5, 9));
  EXPECT_THAT(control_neighbours(9, 10), ElementsAre(0, 4, 8));
}

TEST(ControlNeighbours, AreMutual) {
  for (int n = 1; n < 40; ++n)
    for (int process = 0; process < n; ++process)
      for (const int other : control_neighbours(process, n))
        EXPECT_THAT(control_neighbours(other, n), Contains(process)) << n;
}

// Whether all others are still connected when the two are gone.
bool connected_without(int a, int b, int n) {
  std::vector<bool> reached(static_cast<std::size_t>(n));
  const auto reach = [&](auto&& self, int process) -> int {
    if (process == a || process == b || reached[static_cast<std::size_t>(process)]) return 0;
    reached[static_cast<std::size_t>(process)] = true;
    int count = 1;
    for (const int other : control_neighbours(process, n)) count += self(self, other);
    return count;
  };
  int start = 0;
  while (start == a || start == b) ++start;
  return reach(reach, start) == n - 2;
}

TEST(ControlNeighbours, HoldTogetherWhenAnyTwoAreGone) {
  for (const int n : {5, 6, 7, 8, 16, 33, 64})
    for (int a = 0; a < n; ++a)
      for (int b = a + 1; b < n; ++b) EXPECT_TRUE(connected_without(a, b, n)) << n << a << b;
}

}  // namespace
}  // namespace linerate
