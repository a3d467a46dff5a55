// The machine as this process may use it.
#include "topo/machine.h"

#include <gtest/gtest.h>

#include <sched.h>

namespace linerate {
namespace {

TEST(Machine, HasAModelAndAtLeastOneCore) {
  const auto machine = describe_machine();

  EXPECT_FALSE(machine.cpu_model.empty());
  EXPECT_GE(machine.cores, 1);
  EXPECT_GE(machine.threads, machine.cores);
}

TEST(Machine, CountsOnlyWhatAffinityLeaves) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);

  const auto machine = describe_machine();
  sched_setaffinity(0, sizeof before, &before);

  EXPECT_EQ(machine.cores, 1);
  EXPECT_EQ(machine.threads, 1);
}

}  // namespace
}  // namespace linerate
