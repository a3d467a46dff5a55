// Which network carries the data between hosts: the first that all share.
#include "backends/gloo/addresses.h"

#include "base/error.h"
#include "ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::gloo {
namespace {

using ::testing::HasSubstr;

// 10.NETWORK.0.HOST with a mask of `bits`, which is a multiple of 8.
InterfaceAddress address(int network, int host, int bits = 16) {
  InterfaceAddress made{
      .host = "10." + std::to_string(network) + ".0." + std::to_string(host),
      .bytes = {10, static_cast<unsigned char>(network), 0, static_cast<unsigned char>(host)},
      .mask = std::vector<unsigned char>(4, 0)};
  for (int byte = 0; byte < bits / 8; ++byte) made.mask[static_cast<std::size_t>(byte)] = 255;
  return made;
}

TEST(CommonNetwork, IsTheFirstOfTheLowestHostInWhichAllHaveAnAddress) {
  const Hosts hosts{{0, {address(1, 1), address(2, 1), address(3, 1)}},
                    {1, {address(3, 2), address(2, 2)}},
                    {2, {address(2, 3), address(1, 3), address(3, 3)}}};

  EXPECT_EQ(address_in_common_network(hosts, 0), "10.2.0.1");
  EXPECT_EQ(address_in_common_network(hosts, 1), "10.2.0.2");
  EXPECT_EQ(address_in_common_network(hosts, 2), "10.2.0.3");
}

TEST(CommonNetwork, IsNoBridgeThatEveryHostHasForItself) {
  const Hosts hosts{{0, {address(17, 1), address(2, 1)}}, {1, {address(17, 1), address(2, 2)}}};

  EXPECT_EQ(address_in_common_network(hosts, 0), "10.2.0.1");
  EXPECT_EQ(address_in_common_network(hosts, 1), "10.2.0.2");
}

TEST(CommonNetwork, IsNoneWhereHostsAreRouted) {
  const Hosts hosts{{0, {address(1, 1, 32)}}, {1, {address(1, 2, 32)}}};

  EXPECT_EQ(address_in_common_network(hosts, 0), std::nullopt);
}

TEST(CommonNetwork, IsNoneWhereAHostHasNoAddress) {
  EXPECT_EQ(address_in_common_network({{0, {address(1, 1)}}, {1, {}}}, 1), std::nullopt);
  EXPECT_EQ(address_in_common_network({{0, {}}, {1, {address(1, 1)}}}, 1), std::nullopt);
}

TEST(Interface, OnOneHostIsLoopback) {
  run_ranks(2, [](Rank rank) { EXPECT_EQ(rank.comm.inspector().transport(), "TCP on lo"); });
}

TEST(Interface, ThatIsNamedButNotHereIsRefusedWithTheWayOut) {
  const SteadyClock clock;
  const auto backend =
      make_gloo_backend(clock, Environment(std::map<std::string, std::string, std::less<>>{
                                   {"GLOO_SOCKET_IFNAME", "absent0"}}));
  spawn(1, [&](Bootstrap& member) {
    const auto device = backend->open_device(0);
    Device* const local[] = {device.get()};

    try {
      (void)backend->connect(member, local, {});
      FAIL() << "not refused";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("GLOO_SOCKET_IFNAME=absent0 cannot be used on"));
      EXPECT_THAT(error.what(), HasSubstr("of lo"));
      EXPECT_EQ(error.exit_code(), ExitCode::usage);
    }
  });
}

}  // namespace
}  // namespace linerate::gloo
