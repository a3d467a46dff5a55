// A cluster's JSON: what stands in it of groups, racks and switches.
#include "topo/cluster/platforms.h"
#include "topo/show/views.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace linerate::topo {
namespace {

Cluster two_kinds() {
  Cluster cluster{.name = "west",
                  .fabric = {.rails = 8,
                             .nodes_per_rack = 4,
                             .rack = {.oversubscription = 2, .latency_us = 1},
                             .spine = {.oversubscription = 1.5}}};
  for (const auto* name : {"dgx-h100", "dgx-a100"})
    cluster.groups.push_back({.topology = name,
                              .system = std::make_shared<System>(*built_in_platform(name)),
                              .count = 6});
  return cluster;
}

TEST(ClusterJson, HasGroupsRacksAndSwitches) {
  const auto json = nlohmann::json::parse(cluster_json(two_kinds()));

  EXPECT_EQ(json["kind"], "cluster");
  EXPECT_EQ(json["nnodes"], 12);
  EXPECT_EQ(json["groups"][1]["first"], 6);
  EXPECT_EQ(json["groups"][1]["gbps"], 200);  // 8 NICs of 25 GB/s
  EXPECT_EQ(json["groups"][0]["gpu_model"], "NVIDIA H100 80GB HBM3");
  ASSERT_EQ(json["racks"].size(), 3u);
  EXPECT_EQ(json["racks"][2]["first"], 8);
  EXPECT_EQ(json["racks"][2]["count"], 4);
  EXPECT_EQ(json["racks"][0]["leaf_gbps"].size(), 8u);
  EXPECT_EQ(json["racks"][0]["leaf_gbps"][3], 100);  // 4 of 50, half of it up
  EXPECT_EQ(json["racks"][2]["leaf_gbps"][3], 50);
  EXPECT_EQ(json["leaf"]["oversubscription"], 2);
  EXPECT_GT(json["spine"]["gbps"], 0);
}

}  // namespace
}  // namespace linerate::topo
