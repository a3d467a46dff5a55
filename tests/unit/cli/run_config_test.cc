// What follows from the options of a run.
#include "cli/run_config.h"

#include "collectives/collective.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

TEST(RunConfig, ObservesWhereSomebodyReadsWhichAlgorithmRan) {
  RunConfig config;
  config.collective = all_collectives().front();
  EXPECT_FALSE(config.observes());

  config.show_algorithms = true;
  EXPECT_TRUE(config.observes());

  config.show_algorithms = false;
  config.jsonl_file = "run.jsonl";
  EXPECT_TRUE(config.observes());
}

TEST(RunConfig, ObservesNoPairs) {
  RunConfig config;
  config.jsonl_file = "run.jsonl";

  EXPECT_FALSE(config.observes());
}

}  // namespace
}  // namespace linerate
