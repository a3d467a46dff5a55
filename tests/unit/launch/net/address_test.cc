// Which address of a peer to try first.
#include "launch/net/address.h"

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

TEST(SocketAddresses, AreAHostAndPerhapsAPort) {
  const auto shown = [](const std::string& text) {
    const auto address = socket_address_of(text, 7);
    return address ? text_of(*address) : "none";
  };
  EXPECT_EQ(shown("node07"), "node07:7");
  EXPECT_EQ(shown("node07:80"), "node07:80");
  EXPECT_EQ(shown("10.0.0.1:80"), "10.0.0.1:80");
  EXPECT_EQ(shown("fd00::1"), "[fd00::1]:7");
  EXPECT_EQ(shown("[fd00::1]"), "[fd00::1]:7");
  EXPECT_EQ(shown("[fd00::1]:80"), "[fd00::1]:80");
  for (const auto* text :
       {"", ":80", "node07:", "node07:0", "node07:65536", "node07:x", "[fd00::1", "[]:80"})
    EXPECT_EQ(shown(text), "none") << text;
}

TEST(NumericAddress, TakesBothFamiliesAndNoNames) {
  EXPECT_EQ(numeric_address({"10.0.0.1", 80}).storage.ss_family, AF_INET);
  EXPECT_EQ(numeric_address({"fd00::1", 80}).storage.ss_family, AF_INET6);
  EXPECT_EQ(numeric_address({"localhost", 80}).length, 0u);
}

TEST(Networks, AreAnAddressAndItsPrefix) {
  const auto network = network_of("10.32.0.0/11");

  ASSERT_TRUE(network);
  EXPECT_TRUE(in_network({10, 63, 255, 1}, *network));
  EXPECT_FALSE(in_network({10, 64, 0, 1}, *network));
  EXPECT_TRUE(in_network({192, 168, 0, 1}, *network_of("0.0.0.0/0")));
  EXPECT_EQ(network_of("fd00::/64")->mask.size(), 16U);
}

TEST(Networks, AreNothingElse) {
  for (const auto* text : {"", "eth0", "10.0.0.1", "eth0/8", "10.0.0.0/", "10.0.0.0/33",
                           "10.0.0.0/-1", "10.0.0.0/255.255.0.0"})
    EXPECT_FALSE(network_of(text)) << text;
}

}  // namespace
}  // namespace linerate
