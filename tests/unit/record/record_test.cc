// What a run's record says of itself.
#include "record/record.h"

#include "record/json_io.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

// One for each text: the hardware threads that it is bound to.
bool share(const RunInfo& run, const std::vector<std::string>& affinities) {
  std::vector<RankInfo> ranks;
  for (const auto& affinity : affinities) ranks.push_back({.affinity = affinity});
  return shares_cores(run, ranks);
}

TEST(RanksOfARun, ShareCoresWhereTheyAreMore) {
  EXPECT_TRUE(share({.launcher = "threads", .ncores = 2}, {"0-3", "0-3", "0-3"}));
  EXPECT_FALSE(share({.launcher = "threads", .ncores = 2}, {"0-3", "0-3"}));
}

TEST(RanksOfARun, DoNotShareCoresWhereALauncherBindsThemOrNobodyKnows) {
  EXPECT_FALSE(share({.launcher = "mpirun", .ncores = 1}, {"0", "0"}));
  EXPECT_FALSE(share({.launcher = "srun", .ncores = 1}, {"0", "0"}));
  EXPECT_FALSE(share({.launcher = "threads", .ncores = 0}, {"", ""}));
  EXPECT_FALSE(share({.launcher = "threads", .ncores = 2}, {}));
}

// Rank 0 is bound to one core, which is not all that they have.
TEST(RanksOfARun, ThatAreBoundShareCoresWithThoseOnTheSame) {
  EXPECT_FALSE(share({.launcher = "env", .ncores = 1}, {"0", "1"}));
  EXPECT_FALSE(share({.launcher = "env", .ncores = 1}, {"0-1,8", "0-1,8", "0-1,8", "9"}));
  EXPECT_TRUE(share({.launcher = "env", .ncores = 1}, {"0-1", "0-1", "0-1", "9"}));
}

TEST(Documents, HaveNoBinaryNoise) {
  const json::Json object{{"us", 36.78527810996468}, {"all", {0.1 + 0.2, 3}}, {"n", 12345678901}};

  const auto text = json::document(object);

  EXPECT_EQ(text,
            "{\n  \"us\": 36.78527811,\n  \"all\": [\n    0.3,\n    3\n  ],\n"
            "  \"n\": 12345678901\n}\n");
}

}  // namespace
}  // namespace linerate
