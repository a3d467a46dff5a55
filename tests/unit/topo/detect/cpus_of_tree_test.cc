// Memory nodes, sockets and caches of a saved tree.
#include "topo/detect/cpus_of_tree.h"

#include "support/topo/sysfs_tree.h"

#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

TEST(CpusOfTree, AreItsMemoryNodesByNumber) {
  const SysfsTree tree;
  tree.add_cpuinfo("GenuineIntel", 6, 143);
  tree.add_node(10, 8, 8);
  tree.add_node(2, 0, 8);
  std::vector<std::string> unseen;

  const auto cpus = cpus_of_tree(tree.root(), unseen);

  ASSERT_EQ(cpus.size(), 2U);
  EXPECT_EQ(cpus[0].numa, 2);
  EXPECT_EQ(cpus[1].numa, 10);
  EXPECT_EQ(cpus[1].affinity, "0000ff00");
  EXPECT_EQ(cpus[1].package, 10);
  EXPECT_EQ(cpus[1].model, 143);
  EXPECT_EQ(cpus[1].l3_bytes, 32U << 20);
  EXPECT_TRUE(unseen.empty());
}

TEST(CpusOfTree, CountCoresByTheirSiblings) {
  const SysfsTree tree;
  tree.add_node(0, 0, 4);
  for (int thread = 0; thread < 4; ++thread)
    tree.write(
        "sys/devices/system/cpu/cpu" + std::to_string(thread) + "/topology/thread_siblings_list",
        thread % 2 == 0 ? "0,2\n" : "1,3\n");
  std::vector<std::string> unseen;

  const auto cpus = cpus_of_tree(tree.root(), unseen);

  ASSERT_EQ(cpus.size(), 1U);
  EXPECT_EQ(cpus[0].cores, 2);
  EXPECT_EQ(cpus[0].threads, 4);
  EXPECT_EQ(cpus[0].core_threads, (std::vector<std::vector<int>>{{0, 2}, {1, 3}}));
}

TEST(CpusOfTree, LeaveOutMemoryWithoutProcessors) {
  const SysfsTree tree;
  tree.add_node(0, 0, 4);
  tree.write("sys/devices/system/node/node1/cpumap", "00000000\n");
  std::vector<std::string> unseen;

  EXPECT_EQ(cpus_of_tree(tree.root(), unseen).size(), 1U);
}

TEST(CpusOfTree, WithoutNodesAreTheWholeMachine) {
  const SysfsTree tree;
  tree.write("sys/devices/system/cpu/online", "0-3\n");
  std::vector<std::string> unseen;

  const auto cpus = cpus_of_tree(tree.root(), unseen);

  ASSERT_EQ(cpus.size(), 1U);
  EXPECT_EQ(cpus[0].affinity, "0000000f");
  ASSERT_EQ(unseen.size(), 2U);
  EXPECT_TRUE(unseen[0].starts_with("No memory nodes")) << unseen[0];
  EXPECT_TRUE(unseen[1].starts_with("No model of the processors")) << unseen[1];
}

TEST(CpusOfTree, OfNothingAreNone) {
  const SysfsTree tree;
  std::vector<std::string> unseen;

  EXPECT_TRUE(cpus_of_tree(tree.root(), unseen).empty());
}

}  // namespace
}  // namespace linerate::topo
