// Ranks on nodes, as a run finds them.
#include "bench/expect/memory_run.h"

#include <gtest/gtest.h>

#include <vector>

namespace linerate {
namespace {

TEST(NodesOfARun, AreOneWhereAllRanksAreOnIt) {
  EXPECT_TRUE(on_one_node(std::vector{0, 0, 0}));
  EXPECT_FALSE(on_one_node(std::vector{0, 0, 1}));
  EXPECT_FALSE(on_one_node(std::vector{0, 1, 0}));
}

TEST(NodesOfARun, AreEquallyFullHoweverRanksAreDealtOut) {
  EXPECT_TRUE(are_equally_full(std::vector{0, 0, 0}));
  EXPECT_TRUE(are_equally_full(std::vector{0, 1, 1, 0}));
  EXPECT_FALSE(are_equally_full(std::vector{0, 0, 1}));
}

}  // namespace
}  // namespace linerate
