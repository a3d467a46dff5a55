// What will be measured where NCCL's variables leave a call fewer channels.
#include "support/sizes.h"
#include "topo/cluster/platforms.h"
#include "topo/model/forecast.h"

#include <gtest/gtest.h>

#include <string_view>

namespace linerate::topo {
namespace {

struct LimitedJob {
  std::string_view platform = "dgx-h100";
  int nnodes = 1;
  ChannelSettings channels{};
};

Forecast limited(const LimitedJob& asked, Scheme scheme, std::size_t bytes) {
  const auto graph = build_graph(built_in_platform(asked.platform).value(), {});
  TunerSettings settings;
  settings.channels = asked.channels;
  return forecast(job_of(graph, asked.nnodes, settings), {scheme, bytes}).value();
}

constexpr Scheme kRingGather{Function::all_gather, Algorithm::ring, Protocol::simple};
constexpr Scheme kNvlsReduce{Function::all_reduce, Algorithm::nvls, Protocol::simple};

// One of an H100's channels carries 21 GB/s; all of them 330 in rings, and 480 through switches.
TEST(FewChannels, CarryWhatAChannelCarries) {
  const auto busbw = [](int channels) {
    return limited({.channels = {.max_channels = channels}}, kRingGather, 16 * kGiB).busbw_gbps;
  };

  EXPECT_NEAR(busbw(1), 21, 1);
  EXPECT_NEAR(busbw(4), 84, 2);
  EXPECT_NEAR(busbw(8), 168, 4);
  EXPECT_GT(busbw(ChannelSettings::kAny), 300);
}

TEST(FewChannels, OfNvlsHaveTheirPartOfAll) {
  const auto all = limited({}, kNvlsReduce, 16 * kGiB);
  const auto half = limited({.channels = {.max_ctas = 8}}, kNvlsReduce, 16 * kGiB);

  EXPECT_NEAR(half.busbw_gbps / all.busbw_gbps, 0.5, 0.01);
}

// NCCL_MAX_NCHANNELS does not reach NVLS.
TEST(FewChannels, AreThoseOfTheAlgorithm) {
  const auto all = limited({}, kNvlsReduce, 16 * kGiB);
  const auto same = limited({.channels = {.max_channels = 2}}, kNvlsReduce, 16 * kGiB);

  EXPECT_EQ(same.busbw_gbps, all.busbw_gbps);
}

TEST(FewChannels, AreNoLossWhereTheNicsAreSlower) {
  const LimitedJob own{.platform = "aws-p4d", .nnodes = 2};
  LimitedJob fewer = own;
  fewer.channels.max_channels = 7;

  EXPECT_DOUBLE_EQ(limited(fewer, kRingGather, 16 * kGiB).busbw_gbps,
                   limited(own, kRingGather, 16 * kGiB).busbw_gbps);
}

TEST(FewChannels, ArePublishedByNobody) {
  constexpr Scheme kWellKnown{Function::all_reduce, Algorithm::nvls, Protocol::simple};
  const auto all = limited({}, kWellKnown, 16 * kGiB);
  const auto few = limited({.channels = {.max_ctas = 4}}, kWellKnown, 16 * kGiB);

  EXPECT_GT(all.sources, 0);
  EXPECT_EQ(few.sources, 0);
  EXPECT_LE(few.low_gbps, 0.5 * few.busbw_gbps);
  EXPECT_GE(few.high_gbps, 2 * few.busbw_gbps);
  EXPECT_LT(few.high_gbps, all.busbw_gbps);
}

TEST(FewChannels, AreNeverExpectedToBeFasterThanMore) {
  for (const auto platform : {"dgx-a100", "dgx-h100", "dgx-b200", "pcie-8xl40s", "gb200-nvl4"})
    for (const int nnodes : {1, 2})
      for (const auto protocol : kAllProtocols) {
        auto job = job_of(build_graph(built_in_platform(platform).value(), {}), nnodes);
        double last = 0;
        for (int left = 1; left <= job.channels.own_coll_channels; ++left) {
          job.channels.coll_channels = left;
          const Scheme scheme{Function::all_reduce, Algorithm::ring, protocol};
          const double busbw = forecast(job, {scheme, kGiB})->busbw_gbps;
          EXPECT_GE(busbw, last) << platform << ' ' << nnodes << ' ' << left;
          last = busbw;
        }
      }
}

// More than NCCL takes by itself make no link faster.
TEST(MoreChannels, GainNothing) {
  const auto all = limited({}, kRingGather, 16 * kGiB);
  const auto more = limited({.channels = {.min_channels = 32}}, kRingGather, 16 * kGiB);

  EXPECT_DOUBLE_EQ(more.busbw_gbps, all.busbw_gbps);
}

// Of sends too: a channel carries the same, and there are fewer.
TEST(FewChannels, OfSendsCarryWhatAChannelCarries) {
  const auto graph = build_graph(built_in_platform("dgx-b200").value(), {});
  const auto costs = P2pModel(graph, 1).costs(*find_collective("all_to_all")).value();
  const auto expected = [&](const ChannelSettings& channels) {
    TunerSettings settings;
    settings.channels = channels;
    return forecast(job_of(graph, 1, settings), costs, 16 * kGiB).value();
  };
  const auto all = expected({}), few = expected({.max_channels = 4});

  EXPECT_NEAR(few.busbw_gbps / all.busbw_gbps, 4 / 32.0, 0.02);
  EXPECT_EQ(few.sources, 0);
}

}  // namespace
}  // namespace linerate::topo
