// Which transports are TCP, and over which interface.
#include "bench/expect/tcp_hosts.h"

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

TEST(TcpTransports, AreToldByTheirWords) {
  EXPECT_TRUE(is_tcp("TCP"));
  EXPECT_TRUE(is_tcp("TCP on eth0"));
  for (const auto* other : {"", "MPI", "shared memory", "TCPX", "fake"})
    EXPECT_FALSE(is_tcp(other)) << other;
}

TEST(TcpHosts, AreThoseOfTheInterfaceThatIsNamed) {
  EXPECT_THAT(*tcp_hosts("TCP on eth0", kOwn), ElementsAre("10.0.0.1", "fd00::1"));
  EXPECT_THAT(*tcp_hosts("TCP on eth7, eth1", kOwn), ElementsAre("10.1.0.1"));
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
