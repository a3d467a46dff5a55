// Processors of made up machines, and of this one.
#include "topo/detect/hwloc_cpus.h"

#include "support/topo/hwloc_synthetic.h"
#include "topo/detect/cpus_of_tree.h"

#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

TEST(HwlocCpus, OfAMadeUpMachineAreItsMemoryNodes) {
  const auto topology = synthetic("pack:2 numa:2 l3:2(size=16777216) core:4 pu:2");
  std::vector<std::string> unseen;

  const auto cpus = cpus_of_hwloc(topology.get(), unseen);

  ASSERT_EQ(cpus.size(), 4U);
  EXPECT_EQ(cpus[3].numa, 3);
  EXPECT_EQ(cpus[3].package, 1);
  EXPECT_EQ(cpus[3].cores, 8);
  EXPECT_EQ(cpus[3].threads, 16);
  EXPECT_EQ(cpus[3].l3_bytes, 2U * 16777216);
  EXPECT_EQ(cpus[3].affinity, "ffff0000,00000000");
  ASSERT_EQ(cpus[3].core_threads.size(), 8U);
  EXPECT_EQ(cpus[3].core_threads[7], (std::vector<int>{62, 63}));
}

TEST(HwlocCpus, MemoryBesideThatOfTheSocketIsNoProcessor) {
  const auto topology = synthetic("pack:2 [numa(memory=1GB)] [numa(memory=2GB)] core:4 pu:1");
  std::vector<std::string> unseen;

  const auto cpus = cpus_of_hwloc(topology.get(), unseen);

  ASSERT_EQ(cpus.size(), 2U);
  EXPECT_EQ(cpus[0].affinity, "0000000f");
  EXPECT_EQ(cpus[1].affinity, "000000f0");
}

TEST(HwlocCpus, OfThisMachineAreWhatItsFilesSay) {
  std::vector<std::string> unseen;
  const auto filed = cpus_of_tree("/", unseen);
  if (!unseen.empty()) GTEST_SKIP() << unseen.front();

  const auto asked = cpus_of_this_machine(unseen);

  ASSERT_EQ(asked.size(), filed.size());
  for (std::size_t n = 0; n < asked.size(); ++n) {
    EXPECT_EQ(asked[n].numa, filed[n].numa);
    EXPECT_EQ(asked[n].affinity, filed[n].affinity);
    EXPECT_EQ(asked[n].vendor, filed[n].vendor);
    EXPECT_EQ(asked[n].family, filed[n].family);
    EXPECT_EQ(asked[n].model, filed[n].model);
  }
}

}  // namespace
}  // namespace linerate::topo
