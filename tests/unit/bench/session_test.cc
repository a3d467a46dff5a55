// What a rank may use of the host's memory.
#include "bench/session.h"

#include "bench/plan.h"
#include "support/sessions.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

// Others take and give memory meanwhile.
TEST(RankMemory, IsAboutEachRanksShareOfWhatIsFree) {
  run_sessions({.nranks = 2}, [](Session& session) {
    const auto share = rank_bytes_of(session.ranks().front().device->free_bytes(), 2);

    EXPECT_GT(session.rank_memory(), share / 2);
    EXPECT_LT(session.rank_memory(), share * 3 / 2);
  });
}

TEST(RankMemory, IsWhatTheUserSays) {
  BenchConfig config;
  config.limit_memory = 4096;
  run_sessions({.nranks = 2, .config = config},
               [](Session& session) { EXPECT_EQ(session.rank_memory(), 4096U); });
}

}  // namespace
}  // namespace linerate
