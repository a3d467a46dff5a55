// What will be measured: figures that were published, NCCL's staircase of sends, and bands.
#include "topo/model/forecast.h"

#include "support/sizes.h"
#include "topo/cluster/cluster_predictor.h"
#include "topo/cluster/platforms.h"

#include <gtest/gtest.h>

#include <memory>
#include <string_view>

namespace linerate::topo {
namespace {

JobShape job_on(std::string_view platform, int nnodes, const NcclVersion& version = {}) {
  return job_of(build_graph(built_in_platform(platform).value(), version), nnodes);
}

std::optional<Forecast> forecast_of(const JobShape& job, Function function, std::size_t bytes,
                                    double fabric_us = 0) {
  const Predictor predictor(job);
  const auto chosen = predictor.predict(function, bytes);
  const Scheme scheme{function, chosen.algorithm, chosen.protocol};
  return forecast(job, {.scheme = scheme, .bytes = bytes, .fabric_us = fabric_us});
}

Forecast all_reduce(std::string_view platform, int nnodes, std::size_t bytes) {
  return forecast_of(job_on(platform, nnodes), Function::all_reduce, bytes).value();
}

void expect_within(const Forecast& band, double busbw_gbps) {
  EXPECT_LT(band.low_gbps, busbw_gbps);
  EXPECT_GT(band.high_gbps, busbw_gbps);
}

// NVIDIA/dgxc-benchmarking; NVIDIA/nccl-tests issues 309 and 272; Vultr's HGX B200.
TEST(Forecasts, HaveBandsAroundWhatWasPublished) {
  expect_within(all_reduce("dgx-h100", 1, 2 * kMiB), 86.9);
  expect_within(all_reduce("dgx-h100", 1, 64 * kMiB), 361.7);
  expect_within(all_reduce("dgx-h100", 1, kGiB), 466.3);
  expect_within(all_reduce("hgx-h200", 1, 4 * kGiB), 475);
  expect_within(all_reduce("dgx-h100", 2, 16 * kMiB), 169.7);
  expect_within(all_reduce("dgx-h100", 2, 8 * kGiB), 468.5);
  expect_within(all_reduce("dgx-a100", 1, kGiB), 230.3);
  expect_within(all_reduce("dgx-b200", 1, 16 * kGiB), 842.9);
}

// NVIDIA/nccl-tests issue 290: called too slow by its owner.
TEST(Forecasts, HaveNoBandAroundASlowMachine) {
  EXPECT_GT(all_reduce("dgx-h100", 2, 64 * kMiB).low_gbps, 137.0);
  EXPECT_GT(all_reduce("dgx-h100", 2, 8 * kGiB).low_gbps, 155.6);
}

TEST(Forecasts, AddToNcclsTimeWhatItLeavesOut) {
  const auto h100 = job_on("dgx-h100", 1);

  for (const auto bytes : {64 * kKiB, kMiB, 16 * kMiB}) {
    const auto nccl = Predictor(h100).predict(Function::all_reduce, bytes);
    EXPECT_GT(forecast_of(h100, Function::all_reduce, bytes)->time_us, nccl.time_us) << bytes;
  }
}

TEST(Forecasts, GrowWithTheMessageOfOneScheme) {
  const auto h100 = job_on("dgx-h100", 2);
  const Predictor predictor(h100);
  for (const auto algorithm : kAllAlgorithms)
    for (const auto protocol : kAllProtocols) {
      const Scheme scheme{Function::all_gather, algorithm, protocol};
      double last = 0;
      for (std::size_t bytes = kKiB; bytes <= 16 * kGiB; bytes *= 2) {
        if (!predictor.time_us(scheme, bytes)) break;
        const auto time = forecast(h100, {scheme, bytes})->time_us;
        EXPECT_GT(time, last) << name_of(algorithm) << ' ' << bytes;
        last = time;
      }
    }
}

TEST(Forecasts, AreWiderWhereNobodyPublished) {
  const auto h100 = job_on("dgx-h100", 1);
  const auto known = forecast_of(h100, Function::all_reduce, kGiB).value();
  const auto unknown = forecast_of(h100, Function::broadcast, kGiB).value();

  EXPECT_GT(known.sources, 1);
  EXPECT_EQ(unknown.sources, 0);
  EXPECT_GT(unknown.high_gbps / unknown.low_gbps, known.high_gbps / known.low_gbps);
}

// Nobody published runs of half a DGX, of 4 NICs for 8 GPUs between nodes, of
// fewer NVLinks than an H100 has, or of 32 to 120 nodes of Hopper.
TEST(Forecasts, RestOnNobodyWhereNobodyRanSuchAJob) {
  EXPECT_EQ(all_reduce("hgx-h100-4gpu", 1, kGiB).sources, 0);
  EXPECT_EQ(all_reduce("hgx-h100-4nic", 2, kGiB).sources, 0);
  EXPECT_GT(all_reduce("hgx-h100-4nic", 1, kGiB).sources, 0);
  EXPECT_EQ(all_reduce("hgx-h800", 1, kGiB).sources, 0);
  EXPECT_GT(all_reduce("dgx-h100", 12, kGiB).sources, 0);
  EXPECT_EQ(all_reduce("dgx-h100", 64, kGiB).sources, 0);
  EXPECT_GT(all_reduce("dgx-h100", 248, kGiB).sources, 0);
}

// An L40S is of the generation of an A100, whose runs say nothing of PCI.
TEST(Forecasts, RestOnNobodyWhereGpusHaveNoNvlinks) {
  const auto l40s = all_reduce("pcie-8xl40s", 1, kGiB);
  EXPECT_EQ(l40s.sources, 0);
  EXPECT_LT(l40s.low_gbps, 0.5 * l40s.busbw_gbps);
  EXPECT_GT(l40s.high_gbps, 2 * l40s.busbw_gbps);
  EXPECT_GT(all_reduce("dgx-a100", 1, kGiB).sources, 0);
}

// Vultr's HGX B200: 722 GB/s at 1 GiB, 816 at 2 GiB.
TEST(Forecasts, StepUpWhereNvlsOfAB200HasMoreCtas) {
  const auto before = all_reduce("dgx-b200", 1, kGiB), after = all_reduce("dgx-b200", 1, 2 * kGiB);

  EXPECT_GT(after.busbw_gbps, 1.1 * before.busbw_gbps);
}

// H200s were published to all_gather between two nodes, on none alone and on no more than two.
TEST(Forecasts, CountTheSourcesOfAsManyNodes) {
  const auto sources = [](int nnodes) {
    return forecast_of(job_on("hgx-h200", nnodes), Function::all_gather, kGiB)->sources;
  };
  EXPECT_EQ(sources(1), 0);
  EXPECT_EQ(sources(2), 1);
  EXPECT_EQ(sources(4), 1);
  EXPECT_EQ(sources(5), 0);
}

// With two nodes each NIC sends or receives only; with more, some do both.
TEST(Forecasts, ReachLessWithNvlsTreesOfThreeNodes) {
  const auto share = [](int nnodes) {
    const auto job = job_on("dgx-h100", nnodes);
    const Scheme scheme{Function::all_reduce, Algorithm::nvls_tree, Protocol::simple};
    const auto found = forecast(job, {.scheme = scheme, .bytes = 16 * kGiB});
    return *Predictor(job).time_us(scheme, 16 * kGiB) / found->time_us;
  };
  EXPECT_GT(share(2), 1.2 * share(3));
  EXPECT_NEAR(share(3), share(4), 0.05);
}

// 8 of 18 NVLinks: NVSwitches add up as fast on two nodes as on one.
TEST(Forecasts, OfNvlsTreesAreNoFasterThanTheNvlinks) {
  const double h800 = all_reduce("hgx-h800", 2, 16 * kGiB).busbw_gbps;

  EXPECT_NEAR(h800 / all_reduce("dgx-h100", 2, 16 * kGiB).busbw_gbps, 8 / 18.0, 0.03);
}

TEST(Forecasts, WaitForTheSwitchesOfACluster) {
  const auto h100 = job_on("dgx-h100", 2);
  const auto alone = forecast_of(h100, Function::all_gather, kGiB).value();
  const double fabric_us = 10 * alone.time_us;

  const auto found = forecast_of(h100, Function::all_gather, kGiB, fabric_us).value();

  EXPECT_GT(found.time_us, fabric_us);
  EXPECT_LT(found.time_us, 1.1 * fabric_us);
}

// NCCL's fall-back of 0.1 GB/s is an alarm, not a speed.
TEST(Forecasts, AreNotMadeWhereNcclFindsNoPath) {
  auto lost = job_on("dgx-h100", 1);
  lost.channels.ring.simple_order = true;

  EXPECT_FALSE(forecast_of(lost, Function::broadcast, kGiB));
  EXPECT_TRUE(forecast_of(job_on("dgx-h100", 1), Function::broadcast, kGiB));
}

struct Sends {
  JobShape job;
  P2pCosts costs;

  SendPlan plan(std::size_t bytes) const { return send_plan(job, costs.steps.front(), bytes); }
  Forecast at(std::size_t bytes) const { return forecast(job, costs, bytes).value(); }
};

Sends sends_of(std::string_view platform, int nnodes, std::string_view collective,
               const NcclVersion& version = {}) {
  const auto graph = build_graph(built_in_platform(platform).value(), version);
  return {job_of(graph, nnodes),
          P2pModel(graph, nnodes).costs(*find_collective(collective)).value()};
}

// A message has 4 of 32 channels on 8 ranks, and more where a channel's part exceeds 16 MiB: the
// steps that Vultr's sendrecv on 8 B200 shows, 85 GB/s at 64 MiB and twice as much at each double.
TEST(SendPlans, DoubleTheChannelsOfLongMessages) {
  const auto ring = sends_of("dgx-b200", 1, "sendrecv");

  EXPECT_EQ(ring.plan(64 * kMiB).channels, 4);
  EXPECT_EQ(ring.plan(96 * kMiB).channels, 8);
  EXPECT_EQ(ring.plan(128 * kMiB).channels, 8);
  EXPECT_EQ(ring.plan(256 * kMiB).channels, 16);
  EXPECT_EQ(ring.plan(512 * kMiB).channels, 32);
  EXPECT_EQ(ring.plan(8 * kGiB).channels, 32);
}

TEST(SendPlans, TakeLlForShortMessages) {
  const auto all = sends_of("dgx-b200", 1, "all_to_all");

  EXPECT_EQ(all.plan(4 * kMiB).protocol, Protocol::ll);  // 512 KiB to each of 8
  EXPECT_EQ(all.plan(8 * kMiB).protocol, Protocol::simple);
}

TEST(SendPlans, CountWhatTheBusiestRankMoves) {
  const auto all = sends_of("dgx-h100", 2, "all_to_all").plan(16 * kMiB);
  const auto gather = sends_of("dgx-h100", 2, "gather").plan(16 * kMiB);
  const auto ring = sends_of("dgx-h100", 2, "sendrecv").plan(16 * kMiB);

  EXPECT_EQ(all.peers, 15);
  EXPECT_DOUBLE_EQ(all.moved_bytes, 15.0 * kMiB);
  EXPECT_EQ(gather.peers, 15);
  EXPECT_DOUBLE_EQ(gather.moved_bytes, 15.0 * kMiB);
  EXPECT_EQ(ring.peers, 1);
  EXPECT_DOUBLE_EQ(ring.moved_bytes, 16.0 * kMiB);
}

// Of 16 channels: two to each peer on another node up to 2.28, halved since 2.20 while there are
// more than 64 of all ranks. Since 2.29 the four that 400 Gb/s need at 14 GB/s, halved while there
// are more than 16 of all groups of eight ranks.
TEST(SendPlans, HaveTheChannelsOfTheVersionBetweenNodes) {
  const auto channels = [](int nnodes, const NcclVersion& version) {
    return sends_of("dgx-b200", nnodes, "sendrecv", version).plan(kGiB).channels;
  };
  constexpr NcclVersion kBefore{2, 19, 4}, kHalved{2, 28, 9}, kByNic{2, 29, 7};

  EXPECT_EQ(channels(8, kBefore), 2);
  EXPECT_EQ(channels(2, kHalved), 2);
  EXPECT_EQ(channels(4, kHalved), 2);
  EXPECT_EQ(channels(8, kHalved), 1);
  EXPECT_EQ(channels(4, kByNic), 4);
  EXPECT_EQ(channels(8, kByNic), 2);
  EXPECT_EQ(channels(16, kByNic), 1);
  EXPECT_EQ(channels(64, kByNic), 1);
}

// Each of 16 ranks sends to 8 on the other node; round the nodes one of each node's GPUs sends out.
TEST(SendPlans, CountWhatCrossesToOtherNodes) {
  const auto all = sends_of("dgx-h100", 2, "all_to_all").plan(16 * kMiB);
  const auto ring = sends_of("dgx-h100", 2, "sendrecv").plan(16 * kMiB);
  const auto alone = sends_of("dgx-h100", 1, "all_to_all").plan(16 * kMiB);

  EXPECT_DOUBLE_EQ(all.crossing_bytes, 8.0 * kMiB);
  EXPECT_EQ(all.net_channels, 2 * ring.channels);
  EXPECT_DOUBLE_EQ(ring.crossing_bytes, 16.0 * kMiB);
  EXPECT_EQ(ring.net_channels, ring.channels);
  EXPECT_EQ(alone.crossing_bytes, 0);
  EXPECT_EQ(alone.net_channels, 0);
}

// Together's B200 with NCCL 2.29.7: 43 GB/s on 4 nodes, 24.5 on 8 and 15.7 on 64; Vultr's with
// 2.28: 69 of an alltoall on 2. NICs would carry 48.
TEST(ForecastsOfSends, FollowTheChannelsBetweenNodes) {
  constexpr NcclVersion kHalved{2, 28, 9}, kByNic{2, 29, 7};
  const auto ring = [&](int nnodes) {
    return sends_of("dgx-b200", nnodes, "sendrecv", kByNic).at(16 * kGiB);
  };
  expect_within(ring(4), 43);
  expect_within(ring(8), 24.5);
  expect_within(ring(64), 15.7);
  EXPECT_LT(ring(16).high_gbps, 43);
  EXPECT_LT(ring(64).high_gbps, 24.5);
  expect_within(sends_of("dgx-b200", 2, "all_to_all", kHalved).at(16 * kGiB), 69.4);
}

TEST(ForecastsOfSends, HaveBandsAroundWhatWasPublished) {
  expect_within(sends_of("dgx-b200", 1, "all_to_all").at(kMiB), 50.7);
  expect_within(sends_of("dgx-b200", 1, "all_to_all").at(16 * kGiB), 672.7);
  expect_within(sends_of("dgx-b200", 1, "sendrecv").at(64 * kMiB), 84.6);
  expect_within(sends_of("dgx-b200", 1, "sendrecv").at(512 * kMiB), 625.0);
  expect_within(sends_of("dgx-a100", 2, "all_to_all").at(kGiB), 39.9);
}

TEST(ForecastsOfSends, StayBelowTheBound) {
  for (const auto platform : {"dgx-a100", "dgx-h100", "dgx-b200"})
    for (const auto collective : p2p_collectives())
      for (const int nnodes : {1, 2}) {
        const auto sends = sends_of(platform, nnodes, collective);
        for (std::size_t bytes = 64 * kKiB; bytes <= 16 * kGiB; bytes *= 4)
          EXPECT_LT(sends.at(bytes).busbw_gbps, sends.costs.at(bytes)->busbw_gbps)
              << platform << ' ' << collective << ' ' << nnodes << ' ' << bytes;
      }
}

}  // namespace
}  // namespace linerate::topo
