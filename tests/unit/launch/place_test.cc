// Nodes and local ranks from the members' hosts.
#include "launch/place.h"

#include "launch/solo_bootstrap.h"

#include <gtest/gtest.h>

#include <vector>

namespace linerate {
namespace {

TEST(Place, NumbersNodesInTheOrderOfTheirLowestMember) {
  const std::vector<HostIdentity> members{{"b", "2"}, {"a", "1"}, {"b", "2"}, {"c", "3"}};

  const auto place = place_among(members, 2);

  EXPECT_EQ(place.node, 0);
  EXPECT_EQ(place.nnodes, 3);
  EXPECT_EQ(place.local_rank, 1);
  EXPECT_EQ(place.local_nranks, 2);
  EXPECT_EQ(place.hostname, "b");
  EXPECT_EQ(place.identity, "2");
}

TEST(Place, TellsHostsOfOneNameApart) {
  const std::vector<HostIdentity> members{{"clone", "1"}, {"clone", "2"}};

  EXPECT_EQ(place_among(members, 1).node, 1);
}

TEST(Place, TakesContainersOfDifferentNamesOnOneHostAsOneNode) {
  const std::vector<HostIdentity> members{{"pod-a", "1"}, {"pod-b", "1"}};

  EXPECT_EQ(place_among(members, 1).nnodes, 1);
}

TEST(Place, KnowsThisHostByBootIdAndNetworkNamespace) {
  const auto host = this_host();

  EXPECT_FALSE(host.hostname.empty());
  EXPECT_EQ(host.identity, this_host().identity);
  EXPECT_NE(host.identity.find('+'), std::string::npos);
}

TEST(SoloBootstrap, IsAJobOfOne) {
  const auto solo = solo_bootstrap();

  EXPECT_EQ(solo->nranks(), 1);
  EXPECT_EQ(solo->place().local_nranks, 1);
  EXPECT_EQ(solo->all_gather({}, Deadline::never()).size(), 1u);
  EXPECT_EQ(solo->split(-1, 0, Deadline::never()), nullptr);
  EXPECT_EQ(solo->split(3, 0, Deadline::never())->nranks(), 1);
}

}  // namespace
}  // namespace linerate
