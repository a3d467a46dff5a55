// What a run's record says of itself.
#include "record/record.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

TEST(RanksOfARun, ShareCoresWhereTheyAreMore) {
  EXPECT_TRUE(shares_cores({.launcher = "threads", .ncores = 2}, 3));
  EXPECT_FALSE(shares_cores({.launcher = "threads", .ncores = 2}, 2));
}

TEST(RanksOfARun, DoNotShareCoresWhereALauncherBindsThemOrNobodyKnows) {
  EXPECT_FALSE(shares_cores({.launcher = "mpirun", .ncores = 1}, 2));
  EXPECT_FALSE(shares_cores({.launcher = "srun", .ncores = 1}, 2));
  EXPECT_FALSE(shares_cores({.launcher = "threads", .ncores = 0}, 2));
}

}  // namespace
}  // namespace linerate
