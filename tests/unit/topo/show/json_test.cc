// Systems as JSON, read again.
#include "support/topo/shown_systems.h"
#include "topo/cluster/platforms.h"
#include "topo/show/views.h"
#include "unit/topo/graph/random_system.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>

namespace linerate::topo {
namespace {

using nlohmann::json;

json json_of_system(const System& system) {
  const Graph graph = build_graph(system);
  return json::parse(json_text(graph, Paths(graph)));
}

TEST(TopologyJson, BeginsWithItsKindAndSchema) {
  const Graph graph = build_graph(little_machine());

  EXPECT_TRUE(json_text(graph, Paths(graph))
                  .starts_with("{\n  \"kind\": \"topology\",\n  \"schema\": 1,\n  \"name\": "
                               "\"laptop\",\n  \"source\": \"this machine\",\n  "
                               "\"nccl_version\": \"2.28.9\",\n"));
}

TEST(TopologyJson, TellsTheSystem) {
  const auto cpu = json_of_system(worn_machine())["cpus"][0];
  const auto& gpu = cpu["devices"][0]["children"][0]["children"][0];
  const auto& nic = cpu["devices"][0]["children"][1];

  EXPECT_EQ(cpu["node"], "CPU0");
  EXPECT_EQ(cpu["cores"], "0-7,48-55");
  EXPECT_EQ(gpu["link"], json::parse(R"({"speed": "16.0 GT/s PCIe", "width": 8, "gbps": 12})"));
  EXPECT_EQ(gpu["max_link"]["gbps"], 48);
  EXPECT_EQ(gpu["degraded"], true);
  EXPECT_EQ(gpu["gpu"]["nvlinks"][0]["count"], 17);
  EXPECT_EQ(gpu["gpu"]["nvlinks"][0]["capacity"], 18);
  EXPECT_EQ(nic["ports"][0]["speed_gbit_s"], 400);
  EXPECT_EQ(nic["ports"][0]["gbps"], 50);
  EXPECT_EQ(nic["ports"][0]["nccl_takes"], true);
  EXPECT_EQ(nic["ports"][1]["state"], "DOWN (Polling)");
  EXPECT_EQ(nic["ports"][1]["nccl_takes"], false);
  EXPECT_EQ(cpu["ports"][0]["node"], "eth9");
}

TEST(TopologyJson, HasNoKeyForWhatIsNotKnown) {
  const auto document = json_of_system(little_machine());
  const auto& nic = document["cpus"][0]["devices"][0];

  EXPECT_FALSE(document["cpus"][0].contains("package"));
  EXPECT_FALSE(nic.contains("max_link"));
  EXPECT_FALSE(nic["link"].contains("speed"));
  EXPECT_FALSE(nic["ports"][0].contains("speed_gbit_s"));
  EXPECT_EQ(document["unseen"], json::parse(R"(["No GPU: the PCI bus shows none."])"));
}

TEST(TopologyJson, TellsPathsBetweenAllDevices) {
  const auto document = json_of_system(*built_in_platform("dgx-h100"));
  const auto& paths = document["paths"];

  EXPECT_EQ(paths.size(), 16U * 15U);
  EXPECT_EQ(paths[0]["from"], "GPU0");
  EXPECT_EQ(paths[0]["to"], "GPU1");
  EXPECT_EQ(paths[0]["type"], "NVL");
  EXPECT_NEAR(paths[0]["gbps"].get<double>(), 370.8, 1e-9);
  EXPECT_EQ(paths[0]["nvlinks"], 18);
  EXPECT_EQ(paths[7]["to"], "mlx5_0");
  EXPECT_EQ(paths[7]["type"], "PXB");
}

// What is said of links and paths is said of nodes that are there, as the graph has it.
TEST(TopologyJson, OfRandomSystemsHoldsTheirGraph) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const Graph graph = build_graph(random_system(seed));
    std::size_t links = 0;
    for (const auto& node : graph.nodes()) links += node.links.size();

    const auto document = json::parse(json_text(graph, Paths(graph)));

    std::set<std::string> names;
    for (const auto& node : document["nodes"]) names.insert(node["name"]);
    EXPECT_EQ(names.size(), graph.nodes().size()) << seed;
    EXPECT_EQ(document["links"].size(), links) << seed;
    for (const auto* part : {"links", "paths"})
      for (const auto& entry : document[part])
        EXPECT_TRUE(names.contains(entry["from"]) && names.contains(entry["to"])) << seed;
  }
}

TEST(TopologyJson, OfARackHasEachHost) {
  const auto document = json_of_system(*built_in_platform("gb200-nvl72"));

  EXPECT_EQ(document["cpus"].size(), 36U);
  EXPECT_EQ(document["cpus"][35]["node"], "h17/CPU1");
  EXPECT_NEAR(document["cpus"][0]["devices"][0]["gpu"]["c2c"]["gbps"].get<double>(), 223.56, 1e-9);
}

TEST(TopologyJson, IsValidWhateverNamesHold) {
  const auto document = json_of_system(hostile_machine());

  EXPECT_EQ(document["name"], "<a>&\"'\\\n\x1b[31m\xef\xbf\xbd");
}

}  // namespace
}  // namespace linerate::topo
