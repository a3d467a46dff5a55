// Which transports are TCP, and over which interface.
#include "bench/limits/tcp_hosts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

InterfaceAddress at(std::string host, std::string interface) {
  InterfaceAddress address;
  address.host = std::move(host);
  address.interface = std::move(interface);
  return address;
}

const std::vector<InterfaceAddress> kOwn{at("10.0.0.1", "eth0"), at("fd00::1", "eth0"),
                                         at("10.1.0.1", "eth1")};

TEST(TcpHosts, AreThoseOfTheInterfaceThatIsNamed) {
  EXPECT_THAT(*tcp_hosts("TCP on eth0", kOwn), ElementsAre("10.0.0.1", "fd00::1"));
  EXPECT_THAT(*tcp_hosts("TCP on eth7, eth1", kOwn), ElementsAre("10.1.0.1"));
}

TEST(TcpHosts, AreThoseInANetworkThatIsNamed) {
  auto own = kOwn;
  own[0].bytes = {10, 0, 0, 1};
  own[1].bytes.assign(16, 0xfd);
  own[2].bytes = {10, 1, 0, 1};

  EXPECT_THAT(*tcp_hosts("TCP on 10.1.0.0/16", own), ElementsAre("10.1.0.1"));
  EXPECT_THAT(*tcp_hosts("TCP on 10.9.0.0/16, eth1", own), ElementsAre("10.1.0.1"));
  EXPECT_THAT(tcp_hosts("TCP on 10.0.0.0/8", own).sentence(), HasSubstr("any of"));
  EXPECT_THAT(tcp_hosts("TCP on 10.9.0.0/16", own).sentence(),
              HasSubstr("no interface in 10.9.0.0/16"));
}

TEST(TcpHosts, ArePartOfOneInterfaceWhateverTheirLabels) {
  const std::vector<InterfaceAddress> own{at("10.0.0.1", "eth0"), at("10.0.0.2", "eth0:1")};

  EXPECT_THAT(*tcp_hosts("TCP", own), ElementsAre("10.0.0.1", "10.0.0.2"));
  EXPECT_THAT(*tcp_hosts("TCP on eth0:1", own), ElementsAre("10.0.0.1", "10.0.0.2"));
}

TEST(TcpHosts, NeedNoNameWhereThereIsOneInterface) {
  EXPECT_THAT(*tcp_hosts("TCP", {at("10.0.0.1", "eth0")}), ElementsAre("10.0.0.1"));
}

TEST(TcpHosts, AreNotGuessedAmongSeveral) {
  EXPECT_THAT(tcp_hosts("TCP", kOwn).sentence(), HasSubstr("any of the interfaces eth0, eth1"));
  EXPECT_THAT(tcp_hosts("TCP on eth0,eth1", kOwn).sentence(), HasSubstr("any of"));
  EXPECT_THAT(tcp_hosts("TCP on eth7", kOwn).sentence(), HasSubstr("no interface eth7"));
  EXPECT_THAT(tcp_hosts("TCP", {}).sentence(), HasSubstr("No interface"));
}

}  // namespace
}  // namespace linerate
