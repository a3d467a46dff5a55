// What a rank may use of the host's memory.
#include "bench/session.h"

#include "bench/plan.h"
#include "support/sessions.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

TEST(RankMemory, IsEachRanksShareOfWhatIsFree) {
  run_sessions({.nranks = 2}, [](Session& session) {
    const auto mine = session.rank_memory();

    const auto share = rank_bytes_of(session.ranks().front().device->free_bytes(), 2);
    EXPECT_NEAR(static_cast<double>(mine), static_cast<double>(share),
                0.1 * static_cast<double>(share));
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
