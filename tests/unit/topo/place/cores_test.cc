// Cores that ranks can be bound to, and how they are shared.
#include "topo/place/cores.h"

#include "unit/topo/place/two_sockets.h"

#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

System untold(const std::string& affinity) {
  System system;
  system.cpus.push_back({.affinity = affinity});
  return system;
}

TEST(UsableCores, HaveTheirThreadsAndHwlocsNumbers) {
  const auto nodes = cores_of(two_sockets());

  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_TRUE(nodes[1].known);
  ASSERT_EQ(nodes[1].cores.size(), 4U);
  EXPECT_EQ(nodes[1].cores[0].logical, 4);
  EXPECT_EQ(nodes[1].cores[0].threads, (ThreadSet{4, 12}));
}

TEST(UsableCores, AreNumberedAmongThoseThatTheControlGroupLeaves) {
  auto system = two_sockets();
  system.usable = mask_text({1, 3, 4, 12});

  const auto nodes = cores_of(system);

  ASSERT_EQ(nodes[0].cores.size(), 2U);
  EXPECT_EQ(nodes[0].cores[1].threads, ThreadSet{3});
  EXPECT_EQ(nodes[0].cores[1].logical, 1);
  ASSERT_EQ(nodes[1].cores.size(), 1U);
  EXPECT_EQ(nodes[1].cores[0].logical, 2);
}

TEST(UsableCores, AreNumberedSocketBySocket) {
  auto system = two_sockets();
  system.cpus[0].package = 1;  // memory node 0 on the socket that hwloc counts last
  system.cpus[0].core_threads = {{8, 9}};
  system.cpus[0].affinity = mask_text({8, 9});
  system.cpus[1].package = 0;
  system.cpus[1].core_threads = {{0, 1}};
  system.cpus[1].affinity = mask_text({0, 1});

  const auto nodes = cores_of(system);

  EXPECT_EQ(nodes[0].cores[0].logical, 1);
  EXPECT_EQ(nodes[1].cores[0].logical, 0);
}

TEST(UsableCores, AreKnownBesideANodeWithoutAny) {
  auto system = two_sockets();
  system.cpus.push_back({.numa = -1});  // of devices whose place is not known

  const auto nodes = cores_of(system);

  EXPECT_EQ(nodes[1].cores[3].logical, 7);
  EXPECT_TRUE(nodes[2].known);
}

TEST(UntoldCores, AreThreadsWhoseSharesKeepCoresTogether) {
  const auto two_runs = cores_of(untold("00000f0f"));  // 0-3 and 8-11
  const auto one_run = cores_of(untold("000000ff"));

  const auto of_two = shares(two_runs[0].cores, 2), of_one = shares(one_run[0].cores, 2);

  EXPECT_FALSE(two_runs[0].known);
  EXPECT_EQ(threads_of(of_two[0]), (ThreadSet{0, 1, 8, 9}));
  EXPECT_EQ(threads_of(of_one[1]), (ThreadSet{4, 5, 6, 7}));
  EXPECT_EQ(of_one[0][0].logical, -1);
}

TEST(SharesOfCores, AreEvenAndLeaveNothing) {
  const auto cores = cores_of(untold("000003ff"))[0].cores;

  const auto parts = shares(cores, 4);

  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[0].size(), 3U);
  EXPECT_EQ(parts[1].size(), 3U);
  EXPECT_EQ(parts[3].size(), 2U);
  EXPECT_EQ(threads_of(parts[3]), (ThreadSet{8, 9}));
}

TEST(SharesOfCores, AreTheSameCoreForSeveralWhereThereAreTooFew) {
  const auto parts = shares(cores_of(untold("00000003"))[0].cores, 4);

  EXPECT_EQ(threads_of(parts[1]), ThreadSet{0});
  EXPECT_EQ(threads_of(parts[2]), ThreadSet{1});
}

}  // namespace
}  // namespace linerate::topo
