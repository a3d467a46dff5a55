// The one report that all processes draw from the losses they hear of.
#include "launch/watch/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace linerate {
namespace {

using testing::ElementsAre;

Loss lost(LossKind kind, int process, int origin = 0) {
  return {.kind = kind, .origin = origin, .process = process, .ranks = {process}, .sentence = {}};
}

std::vector<int> processes_of(const ControlLosses& losses) {
  std::vector<int> processes;
  for (const auto& loss : losses.verdict()) processes.push_back(loss.process);
  return processes;
}

TEST(ControlLosses, AreNewOnceOnly) {
  ControlLosses losses;

  EXPECT_TRUE(losses.add(lost(LossKind::died, 1, 3)));
  EXPECT_FALSE(losses.add(lost(LossKind::died, 1, 3)));
  EXPECT_FALSE(losses.add(lost(LossKind::died, 1, 5)));
  EXPECT_TRUE(losses.add(lost(LossKind::died, 1, 0)));
}

TEST(ControlLosses, BlameTheDeadBeforeTheFailedBeforeTheMissing) {
  ControlLosses losses;

  losses.add(lost(LossKind::missing, 4));
  losses.add(lost(LossKind::failed, 3));
  EXPECT_THAT(processes_of(losses), ElementsAre(3));
  losses.add(lost(LossKind::died, 2));
  losses.add(lost(LossKind::died, 1));

  EXPECT_THAT(processes_of(losses), ElementsAre(1, 2));
}

TEST(ControlLosses, TakeTheLowestOriginsViewOfWhoIsMissing) {
  ControlLosses losses;

  losses.add(lost(LossKind::missing, 6, 3));
  losses.add(lost(LossKind::missing, 5, 2));
  losses.add(lost(LossKind::missing, 4, 2));

  EXPECT_THAT(processes_of(losses), ElementsAre(5, 4));
}

TEST(ControlLosses, YieldTheSameVerdictInAnyOrderOfArrival) {
  std::vector<Loss> news{lost(LossKind::died, 1, 0), lost(LossKind::died, 1, 2),
                         lost(LossKind::died, 4, 3), lost(LossKind::failed, 2, 2)};
  const auto by_origin = [](const Loss& a, const Loss& b) {
    return std::tie(a.kind, a.process, a.origin) < std::tie(b.kind, b.process, b.origin);
  };
  std::ranges::sort(news, by_origin);

  do {
    ControlLosses losses;
    for (const auto& loss : news) losses.add(loss);
    EXPECT_THAT(processes_of(losses), ElementsAre(1, 4));
    EXPECT_EQ(losses.verdict()[0].origin, 0);
  } while (std::next_permutation(news.begin(), news.end(), by_origin));
}

}  // namespace
}  // namespace linerate
