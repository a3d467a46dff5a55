// Who waited for whom, added up over ranks.
#include "trainers/programs/peer_waits.h"

#include "support/spawn.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

TEST(PeerWaits, AreSharesOfTheOthersTime) {
  std::vector<PeerWaitShare> shares;
  spawn(3, [&](Bootstrap& member) {
    PeerWaits waits;
    trainers::StepTime time{.step_us = 100};
    if (member.rank() != 2) time.waited_for = {{.rank = 2, .us = 30}};
    if (member.rank() == 0) time.waited_for.push_back({.rank = 1, .us = 10});
    waits.add(time);
    waits.add(time);
    auto all = waits.shares(member);
    if (member.rank() == 0) shares = std::move(all);
  });

  ASSERT_EQ(shares.size(), 2u);
  EXPECT_EQ(shares[0].rank, 2);
  EXPECT_DOUBLE_EQ(shares[0].share, 0.3);
  EXPECT_EQ(shares[1].rank, 1);
  EXPECT_DOUBLE_EQ(shares[1].share, 0.05);
}

}  // namespace
}  // namespace linerate
