// When a machine is not one machine.
#include "diagnose/diagnose.h"
#include "unit/diagnose/example.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

const std::vector<MemoryPoint> kMemory{{1024, 100, 50, 75, 80}, {65536, 20, 10, 15, 16}};

struct Machine {
  std::vector<MemoryPoint> memory{};
  std::vector<NetworkPoint> network{};
};

// "memory changed by a factor of 2.0 during the run"; empty: the machine is stable.
std::string change(const Machine& before, const Machine& after,
                   const std::string& bound_by = "memory") {
  const RunInfo run{.memory = before.memory, .network = before.network};
  const auto result = result_of(0.9, bound_by);
  const auto found = rules::unstable_machine({.run = run,
                                              .results = {&result, 1},
                                              .memory_after = after.memory,
                                              .network_after = after.network});
  return found.empty() ? "" : found[0].subject + " " + found[0].evidence;
}

TEST(UnstableMachine, ChangesByTheWorstOfAllSizesOfMemory) {
  auto changed = kMemory;
  changed[1].write_gbps /= 2;
  changed[0].read_gbps *= 1.5;

  EXPECT_EQ(change({kMemory}, {changed}), "memory changed by a factor of 2.0 during the run");
  EXPECT_EQ(change({changed}, {kMemory}), "memory changed by a factor of 2.0 during the run");
}

TEST(UnstableMachine, NeedsSomethingToCompare) {
  EXPECT_EQ(change({kMemory}, {kMemory}), "");
  EXPECT_EQ(change({kMemory}, {}), "");
  EXPECT_EQ(change({{}, network_of({10, 10})}, {}), "");
}

// Over several hosts memory counts where it binds a result.
TEST(UnstableMachine, CountsMemoryWhereItBinds) {
  auto changed = kMemory;
  changed[0].copy_gbps *= 2;
  const auto network = network_of({10, 10});

  EXPECT_NE(change({kMemory, network}, {changed, network}, "memory"), "");
  EXPECT_EQ(change({kMemory, network}, {changed, network}, "network"), "");
  EXPECT_NE(change({kMemory}, {changed}, "latency"), "");
}

TEST(UnstableMachine, CountsAllNodesTogether) {
  const auto changed = [](std::vector<double> before, std::vector<double> after) {
    return change({{}, network_of(before)}, {{}, network_of(after)});
  };

  EXPECT_EQ(changed({10, 10}, {15, 10}), "the network changed by a factor of 1.2 during the run");
  EXPECT_EQ(changed({10, 10}, {8, 8}), "the network changed by a factor of 1.2 during the run");
  EXPECT_EQ(changed({10, 10, 10}, {8, 12, 10}), "");
}

TEST(UnstableMachine, CountsOneNodeThatHasLostMostOfItsBandwidth) {
  EXPECT_EQ(change({{}, network_of({10, 10, 10, 10})}, {{}, network_of({10, 10, 10, 2})}),
            "the network changed by a factor of 5.0 during the run");
}

}  // namespace
}  // namespace linerate
