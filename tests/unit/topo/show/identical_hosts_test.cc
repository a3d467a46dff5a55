// Hosts that look the same, and nodes by host.
#include "topo/cluster/node_shape.h"
#include "topo/show/facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

using testing::ElementsAre;

System four_hosts() {
  return system_of({.hosts = 4, .numas = 2, .switches = 0, .gpus = 2, .nics = 1});
}

TEST(AlikeHosts, DifferInRanksAndGuidsOnly) {
  EXPECT_THAT(Facts(build_graph(four_hosts())).identical_hosts(),
              ElementsAre(ElementsAre(0, 1, 2, 3)));
}

TEST(AlikeHosts, DoNotIncludeOneWithAnotherLink) {
  System system = four_hosts();
  system.cpus[4].devices[0].link.width = 8;  // host 2

  EXPECT_THAT(Facts(build_graph(std::move(system))).identical_hosts(),
              ElementsAre(ElementsAre(0, 1, 3), ElementsAre(2)));
}

TEST(NameOnHost, HasNoHost) {
  const Graph graph = build_graph(four_hosts());

  EXPECT_EQ(Facts(graph).name(*graph.find("h2/GPU3")), "GPU3");
}

TEST(NameOnHost, OfASingleHostIsTheName) {
  System system = system_of({.numas = 1, .switches = 0, .gpus = 0, .nics = 1});
  system.cpus[0].devices[0].nets[0].name = "h0/nic";
  const Graph graph = build_graph(std::move(system));

  EXPECT_EQ(Facts(graph).name(graph.of(NodeKind::net)[0]), "h0/nic");
}

TEST(GroupWords, TellHowMany) {
  EXPECT_EQ(hosts_text({0, 1, 2, 4}), "4 hosts alike: h0-h2, h4");
  EXPECT_EQ(hosts_text({3}), "h3");
}

TEST(NodesOn, AreOfOneHost) {
  const Graph graph = build_graph(four_hosts());

  const auto gpus = Facts(graph).nodes_on(NodeKind::gpu, 3);

  ASSERT_EQ(gpus.size(), 4U);
  for (const int gpu : gpus) EXPECT_EQ(graph.node(gpu).host, 3);
}

}  // namespace
}  // namespace linerate::topo
