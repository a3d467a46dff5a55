// Whole benchmark runs over the fakes: what their JSON Lines say of the algorithm that ran.
#include "backends/nccl/profiler/abi.h"
#include "backends/nccl/profiler/entry_points.h"
#include "bench/run.h"
#include "record/json_lines.h"
#include "support/gpu/fake_profiler.h"
#include "unit/backends/nccl/fake_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace linerate::nccl {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::size_t kSmallest = 1024, kLargest = std::size_t{1} << 20;

// Two sizes on two threads with two GPUs each.
BenchConfig two_sizes(std::string_view collective) {
  BenchConfig config;
  config.collective = find_collective(collective);
  config.nthreads = config.ngpus = 2;
  config.min_bytes = kSmallest;
  config.max_bytes = kLargest;
  config.step_factor = static_cast<int>(kLargest / kSmallest);
  config.iters = 2;
  config.observes_calls = true;
  return config;
}

struct Ran {
  std::string jsonl;
  std::vector<Record> records;
  int events = 0;  // that the plugin was told of
};

Ran run(const BenchConfig& config, int version = NCCL_VERSION(2, 28, 9)) {
  Ran ran;
  RunEvents events;
  events.begin = [](const RunStart&) {};
  events.results = [&](std::span<Record> groups, const RunTotals&) {
    for (const auto& record : groups) ran.jsonl += json_line(record);
  };
  events.row = [](std::span<Record>) {};
  const int before = fake::events_told();
  run_threads_on_fakes(config, version, [&](RankContext& rank) {
    const auto totals = run_benchmark(rank, config, {}, events);
    EXPECT_EQ(totals.failed_checks, 0u);
  });
  ran.events = fake::events_told() - before;
  ran.records = read_jsonl(ran.jsonl).value().records;
  return ran;
}

class RecordedRun : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(profiler::offer(NCCL_VERSION(2, 28, 9)), ""); }
  void TearDown() override { ::unsetenv(profiler::kPluginVariable); }
};

std::vector<CallFacts> calls_of(const Ran& ran) {
  std::vector<CallFacts> calls;
  for (const auto& record : ran.records) calls.push_back(record.call);
  return calls;
}

const CallFacts kTree{.algorithm = "TREE", .protocol = "LL", .channels = 2};
const CallFacts kRing{.algorithm = "RING", .protocol = "SIMPLE", .channels = 24};

TEST_F(RecordedRun, NamesAlgorithmProtocolAndChannelsOfEachCase) {
  const auto ran = run(two_sizes("all_reduce"));

  EXPECT_EQ(calls_of(ran), (std::vector{kTree, kTree, kRing, kRing}));
  EXPECT_THAT(ran.jsonl, HasSubstr(R"("algorithm":"RING","protocol":"SIMPLE","channels":24)"));
}

TEST_F(RecordedRun, TellsTheSameThroughOlderInterfaces) {
  const auto without_channels = [](CallFacts facts) {
    facts.channels = 0;
    return facts;
  };
  const auto tree = without_channels(kTree), ring = without_channels(kRing);

  for (const int version : {NCCL_VERSION(2, 24, 3), NCCL_VERSION(2, 26, 2)})
    EXPECT_EQ(calls_of(run(two_sizes("all_reduce"), version)),
              (std::vector{tree, tree, ring, ring}));
  EXPECT_EQ(calls_of(run(two_sizes("all_reduce"), NCCL_VERSION(2, 27, 3))),
            (std::vector{kTree, kTree, kRing, kRing}));
}

TEST_F(RecordedRun, KnowsNothingFromAnNcclThatDoesNotTell) {
  const auto ran = run(two_sizes("all_reduce"), NCCL_VERSION(2, 23, 4));

  EXPECT_EQ(calls_of(ran), std::vector<CallFacts>(4));
  EXPECT_THAT(ran.jsonl, Not(HasSubstr("algorithm")));
  EXPECT_THAT(ran.jsonl, Not(HasSubstr("channels")));
}

TEST_F(RecordedRun, CallsWhatIsDoneBySendsAndReceivesByThatName) {
  for (const int version : {NCCL_VERSION(2, 28, 9), NCCL_VERSION(2, 27, 3)})
    for (const auto* collective : {"all_to_all", "sendrecv", "gather"}) {
      const auto ran = run(two_sizes(collective), version);

      ASSERT_EQ(ran.records.size(), 4u) << collective;
      EXPECT_EQ(ran.records[3].call.algorithm, "p2p") << collective;
      EXPECT_EQ(ran.records[3].call.protocol, "") << collective;
      EXPECT_EQ(ran.records[3].call.channels, 12) << collective;
    }
}

// One call of rank 0's two GPUs' thread for each case and placement, whatever the warm-up: a group,
// its collective, and from 2.28 on the call of the API.
TEST_F(RecordedRun, LooksAtOneCallOnlyOfEachCase) {
  auto config = two_sizes("all_reduce");
  config.nthreads = 1;
  constexpr int kEventsOfACall = 3, kCases = 4;

  for (const std::uint64_t warmup : {0u, 1u, 5u}) {
    config.warmup_iters = warmup;
    const auto ran = run(config);
    EXPECT_EQ(ran.events, kCases * kEventsOfACall * config.ngpus) << warmup;
    EXPECT_EQ(calls_of(ran), (std::vector{kTree, kTree, kRing, kRing})) << warmup;
  }
}

TEST_F(RecordedRun, AsksForNothingWhereNobodyReadsIt) {
  auto config = two_sizes("all_reduce");
  config.observes_calls = false;

  const auto ran = run(config);

  EXPECT_EQ(ran.events, 0);
  EXPECT_EQ(calls_of(ran), std::vector<CallFacts>(4));
}

TEST_F(RecordedRun, TellsOfAPartOfTheRanksWhatRankZeroSees) {
  auto config = two_sizes("all_reduce");
  config.nthreads = 4;
  config.ngpus = 1;
  config.split = {.kind = SplitRule::Kind::mod, .value = 2};

  const auto ran = run(config);

  ASSERT_EQ(ran.records.size(), 8u);
  EXPECT_EQ(ran.records[0].call, kTree);
  EXPECT_EQ(ran.records[7].call, kRing);
}

TEST(ModuleFile, ExportsTheEntryPoints) {
  if (std::string_view(LINERATE_NCCL_MODULE).empty())
    GTEST_SKIP() << "no module is built under sanitizers";
  void* const module = dlopen(LINERATE_NCCL_MODULE, RTLD_LAZY | RTLD_LOCAL);
  ASSERT_NE(module, nullptr) << dlerror();

  for (const auto* name :
       {"ncclProfiler_v2", "ncclProfiler_v3", "ncclProfiler_v4", "ncclProfiler_v5"}) {
    const auto* const table = static_cast<const profiler::EntryPointsV2*>(dlsym(module, name));
    ASSERT_NE(table, nullptr) << name;
    EXPECT_STREQ(table->name, "linerate");
    EXPECT_NE(table->start_event, nullptr);
  }
}

}  // namespace
}  // namespace linerate::nccl
