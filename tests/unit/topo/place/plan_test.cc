// Which jobs fit, and what is said of those that do not.
#include "topo/place/plan.h"

#include "topo/cluster/platforms.h"
#include "topo/place/plan_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace linerate::topo {
namespace {

using testing::HasSubstr;
using testing::Not;

Graph dgx() { return build_graph(built_in_platform("dgx-h100").value()); }

TEST(Plans, TakeAsFewNodesAsTheRanksNeed) {
  EXPECT_EQ(plan_of(dgx(), {.nranks = 16})->nnodes, 2);
  EXPECT_EQ(plan_of(dgx(), {.nranks = 16, .nnodes = 4})->per_node(), 4);
  EXPECT_EQ(plan_of(dgx(), {.nranks = 6})->per_node(), 6);
}

TEST(Plans, OfNodesWithoutANameNameTheirSource) {
  auto system = built_in_platform("dgx-h100").value();
  system.name.clear();
  system.source = "file a.xml";

  EXPECT_EQ(plan_of(build_graph(system), {.nranks = 8})->machine, "file a.xml");
}

TEST(Plans, KnowTheFewestNodes) {
  EXPECT_EQ(fewest_nodes(dgx(), 8), 1);
  EXPECT_EQ(fewest_nodes(dgx(), 9), 2);
  EXPECT_EQ(fewest_nodes(build_graph(System{}), 9), 0);
}

TEST(Plans, HaveReplicasForTheRanksThatAreLeft) {
  const auto plan = plan_of(dgx(), {.nranks = 64, .tp = 8, .pp = 2});

  EXPECT_EQ(plan->mesh.size(Axis::dp), 4);
  EXPECT_EQ(plan->order[0], Axis::tp);
}

TEST(Plans, RefuseWhatDoesNotFitInASentence) {
  const auto says = [](const PlanRequest& request) { return plan_of(dgx(), request).sentence(); };

  EXPECT_THAT(says({.nranks = 13}), HasSubstr("not the same number of ranks"));
  EXPECT_THAT(says({.nranks = 13}), HasSubstr("or more nodes by --nodes"));
  EXPECT_THAT(says({.nranks = 10, .nnodes = 4}), HasSubstr("or fewer nodes by --nodes"));
  EXPECT_THAT(says({.nranks = 24, .nnodes = 2}), HasSubstr("give 3 nodes or more"));
  EXPECT_THAT(says({.nranks = 16, .tp = 3}), HasSubstr("not a multiple of --tp 3"));
  EXPECT_THAT(says({.nranks = 64, .pp = 64}), HasSubstr("more than --layers 32"));
  EXPECT_THAT(says({.nranks = 16, .hosts = {"a"}}), HasSubstr("names 1, and the job has 2"));
}

TEST(Plans, TellWhyTheyNeedNodesThatNobodyAskedFor) {
  EXPECT_THAT(plan_of(dgx(), {.nranks = 13}).sentence(), HasSubstr("a node has 8 GPUs"));
  EXPECT_THAT(plan_of(dgx(), {.nranks = 13, .nnodes = 2}).sentence(), Not(HasSubstr("a node has")));
}

TEST(Plans, OfSeveralNodesNeedNics) {
  auto node = built_in_platform("dgx-h100").value();
  for (auto& cpu : node.cpus)
    std::erase_if(cpu.devices, [](const PciDevice& device) { return !device.gpu; });
  System lone = node;
  lone.cpus.resize(1);
  lone.cpus[0].devices = {{.bus_id = {.bus = 1}, .class_code = 0x030200, .gpu = Gpu{}}};

  EXPECT_THAT(plan_of(build_graph(lone), {.nranks = 2}).sentence(), HasSubstr("need a NIC"));
}

TEST(ShownPlans, NameTheBestAndTheWorstOrder) {
  const auto text = plan_text(*plan_of(dgx(), {.nranks = 16, .tp = 8}));

  EXPECT_THAT(text, testing::ContainsRegex("dp tp .* best\n"));
  EXPECT_THAT(text, testing::ContainsRegex("tp dp .* worst, [0-9.]+ times the best\n"));
  EXPECT_THAT(text, HasSubstr("Megatron-LM: its default order, tp-cp-ep-dp-pp"));
  EXPECT_THAT(text, HasSubstr("(2, 8), mesh_dim_names=(\"dp\", \"tp\")"));
  EXPECT_THAT(text, HasSubstr("mlx5_7 (PXB)"));
}

TEST(ShownPlans, NameMegatronsOptionForPipelinesInside) {
  auto plan = plan_of(dgx(), {.nranks = 64, .tp = 2, .pp = 4}).value();

  plan.order = {Axis::tp, Axis::pp, Axis::dp};
  EXPECT_THAT(plan_text(plan), HasSubstr("--use-tp-pp-dp-mapping"));
  plan.order = {Axis::pp, Axis::tp, Axis::dp};
  EXPECT_THAT(plan_text(plan), HasSubstr("order=\"pp-tp-dp\""));
}

TEST(ShownPlans, WithoutAMeshHaveRanksAlone) {
  const auto text = plan_text(*plan_of(dgx(), {.nranks = 1}));

  EXPECT_THAT(text, Not(HasSubstr("best")));
  EXPECT_THAT(text, HasSubstr("1 rank on 1 node of dgx-h100"));
}

TEST(ShownPlans, CountRanksOfNodes) {
  EXPECT_THAT(plan_text(*plan_of(dgx(), {.nranks = 2, .nnodes = 2})),
              HasSubstr("node k has rank k on the same devices"));
  EXPECT_THAT(plan_text(*plan_of(dgx(), {.nranks = 4, .nnodes = 2})),
              HasSubstr("node k has ranks 2 k to 2 k + 1 on the same devices"));
}

TEST(PlansAsJson, HaveEveryRankWithItsPlaces) {
  const auto plan = plan_of(dgx(), {.nranks = 16, .tp = 8}).value();

  const auto json = nlohmann::json::parse(plan_json(plan));

  EXPECT_EQ(json["order"], (nlohmann::json{"dp", "tp"}));
  EXPECT_EQ(json["orders"].size(), 2U);
  EXPECT_EQ(json["ranks"].size(), 16U);
  EXPECT_EQ(json["ranks"][9]["host"], 1);
  EXPECT_EQ(json["ranks"][9]["tp"], 1);
  EXPECT_EQ(json["ranks"][9]["dp"], 1);
  EXPECT_EQ(json["bindings"][7]["cuda_device"], 7);
  EXPECT_EQ(json["bindings"][7]["threads"], "196-223");
}

}  // namespace
}  // namespace linerate::topo
