// More bytes take longer, on every platform: but where NCCL itself goes another way for them.
#include "support/sizes.h"
#include "topo/cluster/platforms.h"
#include "topo/model/forecast.h"
#include "topo/model/forecast_table.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace linerate::topo {
namespace {

// Machines show it too where NCCL changes its algorithm or its protocol (published.json): a
// sendrecv on 8 B200 takes 0.79 of the time, all_reduce on 4 nodes of H100 0.72, on 8 0.30.
constexpr double kMostFall = 0.7, kMostFallOfSends = 0.79;
constexpr double kDigitsLost = 1e-9;
constexpr std::size_t kSendStepsPerDoubling = 4;
constexpr std::size_t kCallStepsPerDoubling = 8;

// Racks are searched for minutes, for what nodes of one host show.
template <typename Check>
void on_all_platforms(const Check& check) {
  for (const auto& platform : platforms()) {
    if (platform.hosts > 1) continue;
    const auto graph = build_graph(built_in_platform(platform.name).value(), {});
    for (const int nnodes : {1, 2, 16})
      if (nnodes * static_cast<int>(graph.of(NodeKind::gpu).size()) > 1)
        check(graph, nnodes, std::string(platform.name) + " x " + std::to_string(nnodes));
  }
}

std::string words(const std::string& where, std::string_view collective, std::size_t bytes) {
  return where + ' ' + std::string(collective) + ' ' + std::to_string(bytes);
}

bool same_way(const SendPlan& one, const SendPlan& other) {
  return one.channels == other.channels && one.net_channels == other.net_channels &&
         one.protocol == other.protocol;
}

void expect_growth(const JobShape& job, const P2pCosts& costs, const std::string& where) {
  SendPlan before;
  double before_us = 0;
  for (std::size_t bytes = kKiB; bytes <= 16 * kGiB; bytes += bytes / kSendStepsPerDoubling) {
    const auto now = send_plan(job, costs.steps.front(), bytes);
    const double now_us = forecast(job, costs, bytes)->time_us;
    const bool grows = costs.steps.size() == 1 && same_way(before, now);
    EXPECT_GE(now_us, grows ? before_us * (1 - kDigitsLost) : 0)
        << words(where, costs.what->name, bytes);
    EXPECT_GE(forecast(job, costs, 2 * bytes)->time_us, kMostFallOfSends * now_us)
        << words(where, costs.what->name, bytes);
    before = now;
    before_us = now_us;
  }
}

TEST(ForecastsOfSends, GrowWithTheMessage) {
  on_all_platforms([](const Graph& graph, int nnodes, const std::string& where) {
    const auto job = job_of(graph, nnodes);
    const P2pModel model(graph, nnodes);
    for (const auto name : p2p_collectives())
      if (const auto costs = model.costs(*find_collective(name)))
        if (forecast(job, *costs, kMiB)) expect_growth(job, *costs, where);
  });
}

// On one node of Blackwell NVLS has more CTAs from a size on.
bool same_way(const Prediction& one, const Prediction& other) {
  const bool more_ctas = one.bytes < kMoreCtas && other.bytes >= kMoreCtas;
  return one.algorithm == other.algorithm && one.protocol == other.protocol && !more_ctas;
}

void expect_growth(const Predictor& predictor, Function function, const std::string& where) {
  Prediction before;
  double before_us = 0;
  for (std::size_t bytes = kKiB; bytes <= 16 * kGiB; bytes += bytes / kCallStepsPerDoubling) {
    const auto now = predictor.predict(function, bytes);
    const auto found = forecast(predictor.job(), {{function, now.algorithm, now.protocol}, bytes});
    if (!found) return;
    const double least = same_way(before, now) ? 1 - kDigitsLost : kMostFall;
    EXPECT_GE(found->time_us, least * before_us) << words(where, name_of(function), bytes);
    before = now;
    before_us = found->time_us;
  }
}

TEST(Forecasts, GrowWithTheCall) {
  on_all_platforms([](const Graph& graph, int nnodes, const std::string& where) {
    const Predictor predictor(job_of(graph, nnodes));
    for (const auto function : kAllFunctions) expect_growth(predictor, function, where);
  });
}

}  // namespace
}  // namespace linerate::topo
