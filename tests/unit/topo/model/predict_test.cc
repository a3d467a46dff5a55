// Predictions for systems whose channels are known, against published figures; what can be reduced.
#include "topo/model/predict.h"

#include "support/sizes.h"
#include "topo/cluster/platforms.h"
#include "topo/model/job.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace linerate::topo {
namespace {

ChannelSet set_of(Pattern pattern, int channels, double intra_gbps, double inter_gbps) {
  return {.pattern = pattern,
          .intra_gbps = intra_gbps,
          .inter_gbps = inter_gbps,
          .intra_type = PathType::nvl,
          .inter_type = PathType::pix,
          .channels = std::vector<Channel>(static_cast<std::size_t>(channels))};
}

JobShape job_of(int sm, int nnodes, const ChannelSet& ring, const ChannelSet& tree) {
  const NodeFacts facts{
      .gpus = 8,
      .min_sm = sm,
      .max_sm = sm,
      .nvswitch = true,
      .channels = {
          .ring = ring, .tree = tree, .coll_channels = 2 * ring.nchannels(), .nvls_channels = 16}};
  return {facts, 8 * nnodes, nnodes};
}

JobShape with_nvls(JobShape job, const ChannelSet& nvls) {
  job.channels.nvls = nvls;
  return job;
}

JobShape dgx_a100(int nnodes = 1) {
  const double ring = nnodes == 1 ? 20 : 24;
  const int channels = nnodes == 1 ? 12 : 8;
  auto job = job_of(80, nnodes, set_of(Pattern::ring, channels, ring, ring),
                    set_of(Pattern::balanced_tree, channels, ring, ring));
  job.cpu = CpuKind::amd;
  return job;
}

JobShape dgx_h100() {
  return with_nvls(
      job_of(90, 1, set_of(Pattern::ring, 12, 30, 30), set_of(Pattern::balanced_tree, 12, 30, 30)),
      set_of(Pattern::nvls, 8, 50, 60));
}

JobShape h100_nodes(int nnodes) {
  return with_nvls(job_of(90, nnodes, set_of(Pattern::ring, 8, 48, 48),
                          set_of(Pattern::balanced_tree, 8, 48, 48)),
                   set_of(Pattern::nvls, 8, 48, 48));
}

JobShape dgx_b200() {
  return with_nvls(
      job_of(100, 1, set_of(Pattern::ring, 16, 45, 45), set_of(Pattern::balanced_tree, 16, 45, 45)),
      set_of(Pattern::nvls, 8, 90, 90));
}

double peak(const JobShape& job) {
  return Predictor(job).predict(Function::all_reduce, 16 * kGiB).busbw_gbps;
}

double busbw(const JobShape& job, Algorithm algorithm, std::size_t bytes) {
  const double time_us =
      Predictor(job).time_us({Function::all_reduce, algorithm, Protocol::simple}, bytes).value();
  return static_cast<double>(bytes) / (1000 * time_us) * 2 * (job.nranks - 1) / job.nranks;
}

// Within 3 %: what public runs of all_reduce reach or cannot exceed.
TEST(Predictions, MeetThePeaksOfKnownSystems) {
  EXPECT_NEAR(peak(dgx_a100()), 240, 0.03 * 240);
  EXPECT_NEAR(peak(dgx_h100()), 480, 0.03 * 480);
  EXPECT_NEAR(busbw(dgx_h100(), Algorithm::ring, 16 * kGiB), 360, 0.03 * 360);
  EXPECT_NEAR(peak(dgx_b200()), 720, 0.03 * 720);
  EXPECT_NEAR(peak(h100_nodes(2)), 461, 0.03 * 461);
  EXPECT_NEAR(busbw(h100_nodes(2), Algorithm::ring, 16 * kGiB), 384, 0.03 * 384);
  EXPECT_NEAR(peak(dgx_a100(2)), 192, 0.03 * 192);
  EXPECT_NEAR(busbw(h100_nodes(16), Algorithm::nvls_tree, 4 * kGiB), 364, 0.03 * 364);
  EXPECT_NEAR(busbw(h100_nodes(16), Algorithm::ring, 8 * kGiB), 370, 0.03 * 370);
}

std::string choice(const JobShape& job, std::size_t bytes) {
  const auto made = Predictor(job).predict(Function::all_reduce, bytes);
  return fmt::format("{}/{}", name_of(made.algorithm), name_of(made.protocol));
}

TEST(Predictions, OfOneH100NodeGoFromRingToNvls) {
  EXPECT_EQ(choice(dgx_h100(), kMiB), "Ring/LL");
  EXPECT_EQ(choice(dgx_h100(), 4 * kMiB), "NVLS/Simple");
}

TEST(Predictions, OfOneA100NodeGoThroughAllProtocols) {
  EXPECT_EQ(choice(dgx_a100(), 2 * kMiB), "Ring/LL");
  EXPECT_EQ(choice(dgx_a100(), 4 * kMiB), "Ring/LL128");
  EXPECT_EQ(choice(dgx_a100(), 16 * kMiB), "Ring/LL128");
  EXPECT_EQ(choice(dgx_a100(), 32 * kMiB), "Ring/Simple");
}

TEST(Predictions, OfTwoH100NodesGoFromTreesToNvlsTree) {
  EXPECT_EQ(choice(h100_nodes(2), 128 << 10), "Tree/LL");
  EXPECT_EQ(choice(h100_nodes(2), 512 << 10), "Tree/LL128");
  EXPECT_EQ(choice(h100_nodes(2), 2 * kMiB), "Tree/LL128");
  EXPECT_EQ(choice(h100_nodes(2), 4 * kMiB), "NVLSTree/Simple");
}

// Worked by hand from the tables: 6.6 us and 14 steps of 0.6 us, then half of 12 x 30 GB/s, which
// LL on one Hopper node caps at 141; 8 of 14 steps' worth of it is algorithm bandwidth.
TEST(Predictions, FollowTheFormula) {
  const double time_us = Predictor(dgx_h100())
                             .time_us({Function::all_reduce, Algorithm::ring, Protocol::ll}, kMiB)
                             .value();

  EXPECT_NEAR(time_us, 6.6 + 14 * 0.6 + 1048576 / (1000 * 141.0 * 8 / 14), 1e-9);
}

TEST(Predictions, UseFewerChannelsForSmallCalls) {
  const auto predict = [](std::size_t bytes) {
    return Predictor(dgx_a100()).predict(Function::all_reduce, bytes).channels;
  };

  EXPECT_EQ(predict(8), 1);
  EXPECT_EQ(predict(8 * 512 * 8 * 3), 3);  // LL: 8 bytes for each of 512 threads and each rank
  EXPECT_EQ(predict(kGiB), 24);
}

TEST(Predictions, GrowWithTheSpeedOfTheLinksThatBind) {
  auto slow = h100_nodes(4);
  for (auto* set : {&slow.channels.ring, &slow.channels.tree, &slow.channels.nvls}) {
    set->inter_gbps /= 2;
    set->intra_gbps /= 2;
  }

  EXPECT_NEAR(peak(slow) / peak(h100_nodes(4)), 0.5, 0.05);
}

TEST(Predictions, OfBroadcastKnowOnlyRings) {
  for (const std::size_t bytes : {std::size_t{8}, kMiB, kGiB})
    EXPECT_EQ(Predictor(h100_nodes(2)).predict(Function::broadcast, bytes).algorithm,
              Algorithm::ring);
}

TEST(Predictions, OfSharesTakePatWithOneGpuPerNode) {
  auto job = h100_nodes(64);
  job.nranks = 64;

  EXPECT_EQ(Predictor(job).predict(Function::all_gather, 4096).algorithm, Algorithm::pat);
  job.version = *parse_nccl_version("2.22");
  EXPECT_EQ(Predictor(job).predict(Function::all_gather, 4096).algorithm, Algorithm::ring);
}

TEST(Predictions, NeverTakeAWayThatTheJobHasNot) {
  const auto time = [](const JobShape& job, Algorithm algorithm, Protocol protocol) {
    return Predictor(job).time_us({Function::all_reduce, algorithm, protocol}, kMiB);
  };

  EXPECT_FALSE(time(dgx_a100(), Algorithm::nvls, Protocol::simple));
  EXPECT_FALSE(time(dgx_h100(), Algorithm::nvls_tree, Protocol::simple));
  EXPECT_FALSE(time(h100_nodes(2), Algorithm::nvls, Protocol::simple));
  EXPECT_FALSE(time(dgx_h100(), Algorithm::nvls, Protocol::ll));
}

TEST(Predictions, LeaveLl128OutWhereDataMayArriveInPieces) {
  auto far = h100_nodes(2);
  far.channels.ring.inter_type = PathType::phb;

  const Scheme scheme{Function::all_reduce, Algorithm::ring, Protocol::ll128};

  EXPECT_TRUE(Predictor(h100_nodes(2)).time_us(scheme, kMiB));
  EXPECT_FALSE(Predictor(far).time_us(scheme, kMiB));
}

TEST(Crossovers, AreWhereTheChoiceChanges) {
  const auto all = Predictor(dgx_a100()).crossovers(Function::all_reduce, 8, 8 * kGiB);

  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].bytes, 8U);
  // 15.8 us of LL and 40.6 of LL128, against 87.7 and 220.8 GB/s of bus bandwidth.
  EXPECT_NEAR(static_cast<double>(all[1].bytes), 2.128e6, 0.01e6);
  EXPECT_EQ(all[1].protocol, Protocol::ll128);
  EXPECT_NEAR(static_cast<double>(all[2].bytes), 24.29e6, 0.1e6);
  EXPECT_EQ(all[2].protocol, Protocol::simple);
}

constexpr std::size_t kBytes = std::size_t{4} << 30;

JobShape h100(int nnodes, std::string_view version = "2.28.9") {
  const auto graph =
      build_graph(built_in_platform("dgx-h100").value(), parse_nccl_version(version).value());
  return job_of(graph, nnodes);
}

Algorithm chosen(const JobShape& job, const Reduced& what,
                 Function function = Function::all_reduce) {
  return Predictor(job).predict(function, kBytes, what).algorithm;
}

TEST(Reductions, OfSwitchesKnowSomeTypesAndOperators) {
  const auto job = h100(1);

  EXPECT_EQ(chosen(job, {DataType::float32, RedOp::sum}), Algorithm::nvls);
  EXPECT_EQ(chosen(job, {DataType::bfloat16, RedOp::max}), Algorithm::nvls);
  EXPECT_EQ(chosen(job, {DataType::int64, RedOp::min}), Algorithm::nvls);
  EXPECT_EQ(chosen(job, {DataType::float32, RedOp::max}), Algorithm::ring);
  EXPECT_EQ(chosen(job, {DataType::float16, RedOp::avg}), Algorithm::ring);
  EXPECT_EQ(chosen(job, {DataType::float16, RedOp::prod}), Algorithm::ring);
  EXPECT_EQ(chosen(job, {DataType::int8, RedOp::sum}), Algorithm::ring);
}

TEST(Reductions, DoNotCountWhereNothingIsReduced) {
  const auto job = h100(1);

  EXPECT_EQ(chosen(job, {DataType::int8, RedOp::prod}, Function::all_gather),
            chosen(job, {}, Function::all_gather));
}

TEST(Reductions, OfEightBitsAvoidRingsOfMoreThanEightRanks) {
  const Reduced narrow{DataType::f8e5m2, RedOp::sum};

  EXPECT_EQ(chosen(h100(1), narrow), Algorithm::ring);
  EXPECT_EQ(chosen(h100(4), narrow), Algorithm::tree);
  EXPECT_EQ(chosen(h100(4, "2.23"), narrow), Algorithm::ring);
  EXPECT_EQ(chosen(h100(4), {DataType::int8, RedOp::sum}), Algorithm::ring);
}

// reduce is done by rings alone.
TEST(Reductions, TakeWhatIsAvoidedWhereThereIsNoOther) {
  const Predictor predictor(h100(2));

  const auto narrow = predictor.predict(Function::reduce, kBytes, {DataType::f8e4m3});

  EXPECT_EQ(narrow.algorithm, Algorithm::ring);
  EXPECT_EQ(narrow.time_us, predictor.predict(Function::reduce, kBytes).time_us);
}

TEST(Reductions, OfPatDoNotScale) {
  const Scheme pat{Function::reduce_scatter, Algorithm::pat, Protocol::simple};

  EXPECT_TRUE(can_reduce(pat, {DataType::float32, RedOp::sum}));
  EXPECT_TRUE(can_reduce(pat, {DataType::float32, RedOp::prod}));
  EXPECT_FALSE(can_reduce(pat, {DataType::float32, RedOp::avg}));
  EXPECT_FALSE(can_reduce(pat, {DataType::int32, RedOp::avg}));
  EXPECT_FALSE(can_reduce(pat, {DataType::float32, RedOp::mulsum}));
  EXPECT_TRUE(can_reduce({Function::all_gather, Algorithm::pat, Protocol::simple},
                         {DataType::float32, RedOp::avg}));
}

}  // namespace
}  // namespace linerate::topo
