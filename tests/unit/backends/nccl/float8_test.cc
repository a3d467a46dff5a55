// 8-bit floats, which not every NCCL, GPU and number of ranks has: left out of a sweep, or refused.
#include "bench/run.h"
#include "unit/backends/nccl/fake_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

namespace linerate::nccl {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr int kWithFloat8 = NCCL_VERSION(2, 28, 9), kWithoutFloat8 = NCCL_VERSION(2, 23, 4);

class Float8 : public testing::Test {
 protected:
  void TearDown() override { ::unsetenv("LINERATE_FAKE_GPU_SM"); }

  static BenchConfig config(std::string_view collective, int ngpus) {
    BenchConfig config;
    config.collective = find_collective(collective);
    config.ngpus = ngpus;
    config.min_bytes = config.max_bytes = 1024;
    config.iters = 1;
    config.types = {DataType::float32, DataType::f8e4m3};
    config.ops = {RedOp::sum, RedOp::max, RedOp::avg, RedOp::mulsum};
    return config;
  }

  struct Run {
    std::set<std::string> ops{};  // with which 8-bit floats are measured
    std::string refusal{};        // where nothing is
  };

  static Run run(const BenchConfig& config, int version) {
    Run done;
    RunEvents events;
    events.begin = [](const RunStart&) {};
    events.row = [](std::span<Record>) {};
    events.results = [&](std::span<Record> results, const RunTotals&) {
      for (const auto& record : results) {
        EXPECT_EQ(record.wrong.value_or(0), 0u);
        if (record.what.type == "f8e4m3") done.ops.insert(record.what.redop);
      }
    };
    run_threads_on_fakes(config, version, [&](RankContext& rank) {
      const auto totals = run_benchmark(rank, config, {}, events);
      if (rank.is_first()) done.refusal = totals.refusal.value_or("");
    });
    return done;
  }

  static std::set<std::string> measured(const BenchConfig& config, int version = kWithFloat8) {
    return run(config, version).ops;
  }

  static std::string refusal(BenchConfig config, int version = kWithFloat8) {
    config.types = {DataType::f8e4m3};
    return run(config, version).refusal;
  }
};

TEST_F(Float8, IsMeasuredWithAllOperatorsAmongHoppers) {
  EXPECT_THAT(measured(config("all_reduce", 2)),
              UnorderedElementsAre("sum", "max", "avg", "mulsum"));
}

TEST_F(Float8, IsLeftOutWithOldLibraries) {
  EXPECT_THAT(measured(config("all_reduce", 2), kWithoutFloat8), IsEmpty());
  EXPECT_THAT(measured(config("sendrecv", 2), kWithoutFloat8), IsEmpty());
  EXPECT_THAT(refusal(config("all_gather", 2), kWithoutFloat8),
              HasSubstr("f8e4m3 needs NCCL 2.24.0 or newer, and the loaded one is 2.23.4"));
}

TEST_F(Float8, IsNotReducedWhereOneGpuIsOlderThanHopper) {
  ::setenv("LINERATE_FAKE_GPU_SM", "90,80", 1);

  EXPECT_THAT(measured(config("all_reduce", 2)), IsEmpty());
  EXPECT_THAT(measured(config("all_gather", 2)), UnorderedElementsAre("none"));
  EXPECT_THAT(refusal(config("reduce_scatter", 2)),
              HasSubstr("NCCL 2.28.9 has reduce_scatter of f8e4m3 on GPUs of sm_90 (Hopper) and "
                        "newer only, and one here is sm_80"));
}

TEST_F(Float8, WasNotEvenMovedByCollectivesThereBefore228) {
  ::setenv("LINERATE_FAKE_GPU_SM", "80", 1);
  constexpr int k227 = NCCL_VERSION(2, 27, 7);

  for (const auto* collective : {"all_gather", "broadcast", "all_reduce"})
    EXPECT_THAT(measured(config(collective, 2), k227), IsEmpty()) << collective;
  for (const auto* collective : {"gather", "all_to_all", "hypercube"})
    EXPECT_THAT(measured(config(collective, 2), k227), testing::SizeIs(1)) << collective;
}

TEST_F(Float8, OfASingleRankIsNotScaled) {
  EXPECT_THAT(measured(config("all_reduce", 1)), UnorderedElementsAre("sum", "max"));
  auto average = config("all_reduce", 1);
  average.ops = {RedOp::avg};
  EXPECT_THAT(refusal(average), HasSubstr("no avg of f8e4m3 for a single rank"));
}

// A group of two ranks waits for no case that the group of one leaves out.
TEST_F(Float8, IsTheSameInAllGroups) {
  auto uneven = config("all_reduce", 3);
  uneven.split = {.kind = SplitRule::Kind::div, .value = 2};

  EXPECT_THAT(measured(uneven), UnorderedElementsAre("sum", "max"));
}

}  // namespace
}  // namespace linerate::nccl
