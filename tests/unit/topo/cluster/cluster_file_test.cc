// Clusters of YAML: what is read of them, and the sentence about what is wrong.
#include "support/folder.h"
#include "topo/cluster/cluster.h"
#include "topo/cluster/platforms.h"
#include "topo/graph/graph.h"
#include "topo/show/views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace linerate::topo {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// Systems that bear the name asked for; counts the questions.
struct FakeSources {
  int asked = 0;

  TopologySources sources() {
    return {.load = [this](const std::string& path) -> Result<System> {
              ++asked;
              if (path == "broken.xml") return Failure{"broken.xml:7: it is broken."};
              return System{.name = path};
            },
            .detect = [this]() -> Result<System> {
              ++asked;
              return System{.name = "here"};
            }};
  }
};

Cluster read(std::string_view text) {
  FakeSources fake;
  auto cluster = parse_cluster(text, fake.sources());
  EXPECT_TRUE(cluster) << (cluster ? "" : cluster.sentence());
  return cluster ? *cluster : Cluster{};
}

std::string about(std::string_view text) {
  FakeSources fake;
  const auto cluster = parse_cluster(text, fake.sources());
  return cluster ? "nothing" : cluster.sentence();
}

TEST(ClusterFiles, AreReadWithAllTheirKeys) {
  const auto cluster = read(
      "name: west\n"
      "nodes:\n"
      "  - {topology: dgx-h100, count: 60}\n"
      "  - {file: odd.xml, count: 2}\n"
      "  - {topology: detected}\n"
      "rails: 8\n"
      "rack: {nodes: 32, oversubscription: 2, latency: 1.5 us}\n"
      "spine: {oversubscription: 1.5, latency: 900 ns}\n");

  EXPECT_EQ(cluster.name, "west");
  EXPECT_EQ(cluster.fabric,
            (Fabric{.rails = 8, .nodes_per_rack = 32, .rack = {2, 1.5}, .spine = {1.5, 0.9}}));
  ASSERT_EQ(cluster.groups.size(), 3u);
  EXPECT_EQ(cluster.nnodes(), 63);
  EXPECT_EQ(*cluster.groups[0].system, *built_in_platform("dgx-h100"));
  EXPECT_EQ(cluster.groups[0].count, 60);
  EXPECT_EQ(cluster.groups[1].system->name, "odd.xml");
  EXPECT_EQ(cluster.groups[2].system->name, "here");
}

TEST(ClusterFiles, NeedLittle) {
  const auto cluster = read("nodes: {topology: dgx-a100}\n");

  EXPECT_EQ(cluster.nnodes(), 1);
  EXPECT_EQ(cluster.fabric, Fabric{});
}

TEST(ClusterFiles, HoldOneSystemForAllNodesOfATopology) {
  FakeSources fake;
  const auto cluster = parse_cluster(
      "nodes:\n"
      "  - {file: a.xml, count: 4000}\n"
      "  - {topology: detected, count: 10}\n"
      "  - {file: a.xml, count: 86}\n",
      fake.sources());

  ASSERT_TRUE(cluster);
  EXPECT_EQ(cluster->nnodes(), 4096);
  EXPECT_EQ(fake.asked, 2);
  EXPECT_EQ(cluster->groups[0].system, cluster->groups[2].system);
  EXPECT_NE(cluster->groups[0].system, cluster->groups[1].system);
}

TEST(ClusterFiles, HoldOneSystemForAFileHoweverItIsWritten) {
  const auto cluster = read(
      "nodes: [{file: a.xml, count: 2}, {file: ./a.xml, count: 3}, {file: .//a.xml}, "
      "{file: b/../a.xml}]");

  EXPECT_EQ(cluster.identical_to_first(), 6);
  EXPECT_EQ(cluster.groups[1].topology, "a.xml");
}

TEST(ClusterFiles, TellFilesFromPlatformsOfTheSameName) {
  const auto cluster = read("nodes: [{file: detected}, {topology: detected}]");

  EXPECT_EQ(cluster.groups[0].system->name, "detected");
  EXPECT_EQ(cluster.groups[1].system->name, "here");
}

TEST(Clusters, CountTheirFirstNodesOfOneKind) {
  EXPECT_EQ(read("nodes: {topology: dgx-a100, count: 5}").identical_to_first(), 5);
  EXPECT_EQ(read("nodes: [{topology: dgx-a100, count: 3}, {topology: dgx-a100}, "
                 "{topology: dgx-h100}, {topology: dgx-a100}]")
                .identical_to_first(),
            4);
}

TEST(Clusters, PutTheirNodesIntoRacksInTurn) {
  const auto cluster = read("nodes: {topology: dgx-a100, count: 5}\nrack: {nodes: 2}\n");

  EXPECT_EQ(cluster.rack_of_node(1), 0);
  EXPECT_EQ(cluster.rack_of_node(2), 1);
  EXPECT_EQ(cluster.rack_of_node(4), 2);
  EXPECT_EQ(read("nodes: {topology: dgx-a100, count: 5}").rack_of_node(4), 0);
}

struct Refused {
  const char* text;
  const char* why;
};

class RefusedClusters : public testing::TestWithParam<Refused> {};

TEST_P(RefusedClusters, AreRefusedByASentenceWithTheirLine) {
  EXPECT_THAT(about(GetParam().text), StartsWith(GetParam().why));
}

INSTANTIATE_TEST_SUITE_P(
    Files, RefusedClusters,
    testing::Values(
        Refused{"name: a\n", ", line 1: nodes of the cluster is missing."},
        Refused{"[]", ", line 1: the cluster is not a map"},
        Refused{"nodes: []", ", line 1: nodes of the cluster is empty"},
        Refused{"nodes: dgx-h100", ", line 1: nodes is not a map: its keys are topology, file"},
        Refused{"nodes:\n  - {topology: dgx-h100}\n  - 7\n", ", line 3: nodes is not a map"},
        Refused{"nodes: {topology: dgx-h100}\nrail: 8\n",
                ", line 2: Unknown key of the cluster 'rail': choose one of name, nodes, rails, "
                "rack, spine. Did you mean 'rails'?"},
        Refused{"nodes: {topology: dgx-h100}\nnodes: {topology: dgx-h100}\n",
                ", line 2: the cluster has the key nodes twice"},
        Refused{"nodes:\n- {topology: dgx-h10}\n",
                ", line 2: topology of nodes cannot be used. Unknown topology 'dgx-h10': choose "
                "one of detected, dgx-a100, "},
        Refused{"nodes: {topology: dgx-h100, count: \uff14}\n",
                ", line 1: count of nodes is '\uff14': a whole number"},
        Refused{"nodes:\n- {file: broken.xml}\n",
                ", line 2: file of nodes cannot be used. broken.xml:7: it is broken."},
        Refused{"nodes: {count: 2}", ", line 1: topology of nodes or file is needed."},
        Refused{"nodes: {file: a, topology: dgx-h100}", ", line 1: file of nodes cannot be used."},
        Refused{"nodes: {file: [a]}", ", line 1: file of nodes is not a single value."},
        Refused{"nodes: {topology: dgx-h100, count: 0}",
                ", line 1: count of nodes is '0': a whole number from 1 to 4096 is needed."},
        Refused{"nodes: {topology: dgx-h100, count: 4097}", ", line 1: count of nodes is '4097'"},
        Refused{"nodes:\n- {topology: dgx-h100, count: 4096}\n- {file: a}\n",
                ", line 3: count of nodes makes more than 4096 nodes in all."},
        Refused{"nodes: {topology: dgx-h100}\nrails: 17\n", ", line 2: rails of the cluster is"},
        Refused{"nodes: {topology: aws-p4d}\nrails: 8\n",
                ", line 2: rails of the cluster is 8, and a host of aws-p4d has 4 NIC ports"},
        Refused{"nodes: {topology: gb200-nvl72}\nrails: 5\n",
                ", line 2: rails of the cluster is 5, and a host of gb200-nvl72 has 4 NIC ports"},
        Refused{"nodes: {topology: dgx-h100}\nrack: {latency: 1 us}\n",
                ", line 2: nodes of rack is missing."},
        Refused{"nodes: {topology: dgx-h100}\nrack: {nodes: 4, latency: 1}\n",
                ", line 2: latency of rack is '1': a number with its unit is needed"},
        Refused{"nodes: {topology: dgx-h100}\nrack: {nodes: 4, oversubscription: 0.5}\n",
                ", line 2: oversubscription of rack is '0.5': a number from 1 to 1000"},
        Refused{"nodes: {topology: dgx-h100}\nspine: {oversubscription: 2}\n",
                ", line 2: spine of the cluster connects racks"},
        Refused{"name: \"a\\nb\"\nnodes: {topology: dgx-h100}\n",
                ", line 1: name of the cluster is not one line"},
        Refused{"nodes: {topology: dgx-h100", ", line "}));

TEST(ClusterFiles, JoinHostsInNvlinkDomains) {
  const auto cluster = read("nodes: {topology: gb200-nvl4, count: 36, nvlink_domain: 18}");

  ASSERT_EQ(cluster.groups.size(), 1U);
  EXPECT_EQ(cluster.groups[0].count, 2);
  EXPECT_EQ(cluster.groups[0].topology, "18 x gb200-nvl4");
  EXPECT_EQ(hosts_of(*cluster.groups[0].system).size(), 18U);
  EXPECT_THAT(about("nodes: {topology: gb200-nvl4, count: 20, nvlink_domain: 18}"),
              HasSubstr("count of nodes is 20 hosts, and not a multiple of nvlink_domain 18."));
  EXPECT_THAT(about("nodes: {topology: pcie-8xl40s, count: 2, nvlink_domain: 2}"),
              HasSubstr("an NVLink domain joins hosts over switches alone"));
}

TEST(ClusterFiles, AreSmall) {
  const std::string text = "nodes: {topology: dgx-h100}\n#" + std::string(70000, '-');

  EXPECT_THAT(about(text), HasSubstr("at most 64 KiB are read"));
}

Result<System> nothing_here() { return Failure{"Nothing was found."}; }

TEST(ClusterFiles, FindTheirTopologiesBesideThem) {
  const TemporaryFolder folder;
  folder.write("node.xml", *nccl_xml_of(*built_in_platform("dgx-a100")));
  const auto path = folder.write("cluster.yaml", "nodes: {file: node.xml, count: 3}\n");

  const auto cluster = read_cluster(path, nothing_here);

  ASSERT_TRUE(cluster) << cluster.sentence();
  EXPECT_EQ(cluster->nnodes(), 3);
  EXPECT_EQ(cluster->groups[0].system->name, "dgx-a100");
}

TEST(ClusterFiles, AreNamedInTheirSentences) {
  const TemporaryFolder folder;
  const auto path = folder.write("cluster.yaml", "nodes: {topology: detected}\n");

  EXPECT_EQ(
      read_cluster(path, nothing_here).sentence(),
      "Cluster file '" + path + "', line 1: topology of nodes cannot be used. Nothing was found.");
  EXPECT_THAT(read_cluster("/nowhere.yaml", nothing_here).sentence(),
              AllOf(StartsWith("Cluster file '/nowhere.yaml': "), HasSubstr("No such file")));
}

}  // namespace
}  // namespace linerate::topo
