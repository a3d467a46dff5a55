// Which address of a peer to try first.
#include "launch/watch/address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

using testing::ElementsAre;

TEST(NearestFirst, TriesNetworksOfThisHostFirstAndItsOwnAddressesLast) {
  const std::vector<InterfaceAddress> ours{{"10.1.0.5", {10, 1, 0, 5}, {255, 255, 0, 0}},
                                           {"172.17.0.1", {172, 17, 0, 1}, {255, 255, 0, 0}}};

  const auto order = nearest_first({"172.17.0.1", "192.168.7.7", "fd00::1", "10.1.9.9"}, ours);

  EXPECT_THAT(order, ElementsAre("10.1.9.9", "192.168.7.7", "fd00::1", "172.17.0.1"));
}

TEST(NumericAddress, TakesBothFamiliesAndNoNames) {
  EXPECT_EQ(numeric_address({"10.0.0.1", 80}).storage.ss_family, AF_INET);
  EXPECT_EQ(numeric_address({"fd00::1", 80}).storage.ss_family, AF_INET6);
  EXPECT_EQ(numeric_address({"localhost", 80}).length, 0u);
}

}  // namespace
}  // namespace linerate
