// A measured machine: between its points, as a file, and what must be measured.
#include "plan/measured_machine.h"

#include "machines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace linerate::plan {
namespace {

const Kernel kProduct{KernelKind::product, 64, 64, 64};

Measurements some_measurements() {
  return {.host = "node07",
          .nranks = 4,
          .cores = 2,
          .memory_bytes = 8e9,
          .kernels_us = {{kProduct, 10}, {{KernelKind::product, 1024, 1024, 1024}, 20000}},
          .calls = {{CallKind::all_reduce, {2}, 1024, 5}, {CallKind::all_reduce, {2}, 4096, 11}}};
}

Measurements over_network() {
  auto measured = some_measurements();
  measured.network = {.file = "nodes: 2\n",
                      .node_ranks = 2,
                      .calls = {{CallKind::all_reduce, {2, 1}, 1024, 4},
                                {CallKind::all_reduce, {2, 2}, 1024, 105},
                                {CallKind::all_reduce, {4, 1, 2, 2}, 1024, 300}}};
  return measured;
}

TEST(MeasuredKernels, HaveTheRateOfTheNearestWhereTheyWereNotMeasured) {
  const MeasuredKernels kernels(some_measurements().kernels_us);

  EXPECT_EQ(kernels.us(kProduct), 10);
  EXPECT_DOUBLE_EQ(kernels.us({KernelKind::product, 128, 64, 64}), 20);
  EXPECT_DOUBLE_EQ(kernels.us({KernelKind::product, 1024, 1024, 512}), 10000);
}

TEST(MeasuredLinks, GoStraightBetweenSizes) {
  const MeasuredLinks links(some_measurements().calls);
  const auto us = [&](double bytes) { return links.us(CallKind::all_reduce, {2, 1}, bytes); };

  EXPECT_EQ(us(8), 5);
  EXPECT_DOUBLE_EQ(us(2560), 8);
  EXPECT_DOUBLE_EQ(us(8192), 22);
  EXPECT_EQ(us(0), 0);
}

TEST(MeasuredLinks, OverANetworkAreThoseOfTheVeryGroup) {
  const auto machine = measured_machine(over_network());
  const auto& links = *machine.links;

  EXPECT_EQ(machine.node_ranks, 2);
  EXPECT_DOUBLE_EQ(links.us(CallKind::all_reduce, {2, 1}, 1024), 5);
  EXPECT_DOUBLE_EQ(links.network_us(CallKind::all_reduce, {2, 1}, 1024), 0);
  EXPECT_DOUBLE_EQ(links.us(CallKind::all_reduce, {2, 2}, 1024), 105);
  EXPECT_DOUBLE_EQ(links.network_us(CallKind::all_reduce, {2, 2}, 1024), 100);
}

TEST(Measurements, AreReadAsTheyWereWritten) {
  const auto written = over_network();

  const auto read = read_measurements(measurements_json(written));

  ASSERT_TRUE(read.ok()) << read.sentence();
  EXPECT_EQ(read->host, "node07");
  EXPECT_EQ(read->nranks, 4);
  EXPECT_EQ(read->kernels_us, written.kernels_us);
  EXPECT_EQ(read->calls, written.calls);
  EXPECT_EQ(read->network.file, written.network.file);
  EXPECT_EQ(read->network.node_ranks, 2);
  EXPECT_EQ(read->network.calls, written.network.calls);
}

TEST(Measurements, ThatAreDamagedAreRefused) {
  const auto good = measurements_json(over_network());
  const auto with = [&](std::string_view from, std::string_view to) {
    auto text = good;
    text.replace(text.find(from), from.size(), to);
    return read_measurements(text).ok();
  };

  EXPECT_TRUE(with("node07", "node08"));
  EXPECT_FALSE(with("product", "gemm"));
  EXPECT_FALSE(with("all_reduce", "reduce"));
  EXPECT_FALSE(with("\"schema\":1", "\"schema\":2"));
  EXPECT_FALSE(with("10.0]", "-1.0]"));
  EXPECT_FALSE(with("\"nranks\":4", "\"nranks\":0"));
  EXPECT_FALSE(with("\"nranks\":4", "\"nranks\":1"));
  EXPECT_FALSE(with("\"node_ranks\":2", "\"node_ranks\":0"));
  EXPECT_FALSE(with(",1,2,2]", ",0,2,2]"));
  EXPECT_FALSE(with("{\"file\":\"nodes: 2\\n\"", "{\"file\":\"\""));
  EXPECT_FALSE(read_measurements("{").ok());
}

TEST(MeasuredMachine, RanksShareItsCoresAndMemory) {
  const auto machine = measured_machine(some_measurements());

  EXPECT_DOUBLE_EQ(machine.share(), 0.5);
  EXPECT_DOUBLE_EQ(machine.hidden_share(), 0);
  EXPECT_DOUBLE_EQ(machine.memory_bytes, 2e9);
  EXPECT_DOUBLE_EQ(machine.peak_flops, 2.0 * (1 << 30) / 20000 * 1e6 / 2);
}

TEST(Needs, AreOfEachGroupWhereNodesAreToldApart) {
  auto config = training_of("nano");
  config.pp = 4;
  config.micro_batch = 1;
  const auto has = [&](const std::vector<Needs::Calls>& all, CallKind call, CallGroup group) {
    return std::ranges::any_of(
        all, [&](const Needs::Calls& one) { return one.call == call && one.group == group; });
  };

  const auto needs = needs_of({config}, DataType::float32, 8, 4);

  // Ranks 0, 2, 4, 6 are a pipeline: its first two stages are on a node, the next two are not.
  EXPECT_TRUE(has(needs.over_network, CallKind::message, {2, 2}));
  EXPECT_TRUE(has(needs.over_network, CallKind::message, {4, 2}));
  EXPECT_TRUE(has(needs.over_network, CallKind::all_reduce, {2, 1}));
  EXPECT_TRUE(has(needs.calls, CallKind::message, {2, 1}));
  EXPECT_FALSE(has(needs.calls, CallKind::message, {2, 2}));
  EXPECT_TRUE(needs_of({config}, DataType::float32, 8).over_network.empty());
}

TEST(Needs, AreAllThatPredictionsAskFor) {
  auto config = training_of("nano");
  config.tp = 2;
  config.micro_batch = 4;

  const auto needs = needs_of({config}, DataType::float32, 4);

  const Kernel up{KernelKind::product, 512, 256, 128};  // a rank's half of the MLP
  EXPECT_EQ(std::ranges::count(needs.kernels, up), 1);
  const auto sums = std::ranges::find_if(needs.calls, [](const Needs::Calls& calls) {
    return calls.call == CallKind::all_reduce && calls.group.size == 2;
  });
  ASSERT_NE(sums, needs.calls.end());
  EXPECT_GE(sums->most_bytes, 4.0 * 4 * 128 * 128);
}

}  // namespace
}  // namespace linerate::plan
