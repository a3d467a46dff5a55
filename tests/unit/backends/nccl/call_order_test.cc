// In which order NCCL is called: what is fused, and what ends before what.
#include "bench/pair_test.h"
#include "bench/run.h"
#include "support/gpu/fake_faults.h"
#include "support/gpu/fake_log.h"
#include "unit/backends/nccl/fake_run.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace linerate::nccl {
namespace {

using Calls = std::vector<std::string>;

constexpr int kVersion = NCCL_VERSION_CODE;

// One thread with two GPUs.
BenchConfig two_gpus() {
  BenchConfig config;
  config.collective = find_collective("all_reduce");
  config.ngpus = 2;
  config.min_bytes = config.max_bytes = 1024;
  config.iters = 2;
  return config;
}

RunTotals run_whole(const BenchConfig& config) {
  RunTotals totals;
  RunEvents events;
  events.begin = [](const RunStart&) {};
  events.results = [](std::span<Record>, const RunTotals&) {};
  events.row = [](std::span<Record>) {};
  run_threads_on_fakes(config, kVersion, [&](RankContext& rank) {
    totals = run_benchmark(rank, config, {}, events);
  });
  return totals;
}

Calls repeated(const std::vector<std::pair<int, std::string>>& counts) {
  Calls calls;
  for (const auto& [count, call] : counts)
    calls.insert(calls.end(), static_cast<std::size_t>(count), call);
  return calls;
}

Calls endings(const FakeLog& log) {
  return log.calls({"ncclCommDeregister", "ncclCommWindowDeregister", "ncclDevCommDestroy",
                    "ncclCommDestroy", "ncclCommAbort", "ncclMemFree"});
}

// At its first call NCCL connects, which no window may contain.
TEST(WarmUp, IsOneCallAtLeast) {
  auto config = two_gpus();
  config.warmup_iters = 0;

  EXPECT_GT(run_whole(config).comm_times->first_call_us.value_or(0), 0);
}

// How often `name` was called between the start of the log and its end.
std::size_t count(const FakeLog& log, const std::string& name) { return log.calls({name}).size(); }

TEST(Group, OfNcclIsNotMadeForTheSingleCallsOfOneRank) {
  auto config = two_gpus();
  config.ngpus = 1;
  const FakeLog log;

  (void)run_whole(config);

  EXPECT_EQ(count(log, "ncclGroupStart"), 1U);  // of the initialisation
}

TEST(Group, OfNcclFusesTheCallsOfOneRankThatAreAggregated) {
  auto config = two_gpus();
  config.ngpus = 1;
  config.agg_iters = 2;
  const FakeLog log;

  (void)run_whole(config);

  EXPECT_GT(count(log, "ncclGroupStart"), 1U);
}

// How often a call looks at which GPU is current.
std::size_t device_looks(BenchConfig config, const SplitRule& split) {
  config.split = split;
  std::size_t looks = 0;
  run_threads_on_fakes(config, kVersion, [&](RankContext& rank) {
    Session session(rank, config);
    session.allocate({.bytes = 8});
    Group& group = *rank.group();
    auto& local = session.ranks().front();
    const FakeLog log;

    group.start();
    for (auto& each : session.ranks())
      each.comm().all_reduce({.send = each.send.view(), .recv = each.recv.view(), .count = 1}, {},
                             *each.stream);
    looks = count(log, "cudaGetDevice");
    group.end();
    local.stream->synchronize(Deadline::never());
    session.rank().close();
  });
  return looks;
}

// NCCL makes a GPU current for its kernels, but not for the copies of a single rank, which need it
// only where a thread has several GPUs.
TEST(CurrentDevice, IsSetForSingleRanksOfAThreadWithSeveralGpusAlone) {
  auto config = two_gpus();
  const SplitRule none{}, alone{.kind = SplitRule::Kind::mod, .value = 2};

  EXPECT_EQ(device_looks(config, none), 0U);
  EXPECT_EQ(device_looks(config, alone), 2U);
  config.ngpus = 1;
  EXPECT_EQ(device_looks(config, none), 0U);
}

TEST(RoundTrip, SendsThePongInAGroupAfterThePings) {
  auto config = two_gpus();
  config.collective = nullptr;
  config.warmup_iters = 1;
  config.check = 0;
  Calls calls;

  run_threads_on_fakes(config, kVersion, [&](RankContext& rank) {
    Session session(rank, config);
    session.allocate({.bytes = 8});
    const FakeLog log;
    (void)run_pair_test(session, {PairKind::latency, 0, 1, 8}, repeats_of(session.config()));
    calls = log.calls({"ncclGroup", "ncclSend", "ncclRecv"});
    session.rank().close();
  });

  const Calls ping{"ncclGroupStart", "ncclSend 0>1", "ncclRecv 0>1", "ncclGroupEnd"};
  const Calls pong{"ncclGroupStart", "ncclRecv 1>0", "ncclSend 1>0", "ncclGroupEnd"};
  Calls trips;
  constexpr int kTrips = 1 + 1 + 2;  // warm-up, meeting, -n
  for (int i = 0; i < kTrips; ++i)
    for (const auto& way : {ping, pong}) trips.insert(trips.end(), way.begin(), way.end());
  EXPECT_EQ(calls, trips);
}

TEST(Abort, IsPrecededByATimeWithoutNewCalls) {
  auto config = two_gpus();
  config.ngpus = 1;

  run_threads_on_fakes(config, kVersion, [&](RankContext& rank) {
    Session session(rank, config);
    session.allocate({.bytes = 8});
    auto& local = session.ranks().front();
    const FakeLog log;

    EXPECT_TRUE(local.comm().stop_calls());

    EXPECT_THROW(local.comm().send({.send = local.send.view(), .count = 1}, 0, *local.stream),
                 Aborted);
    EXPECT_EQ(log.calls({"ncclSend", "ncclCommAbort"}), Calls{});
  });
}

// Each of the two ranks has three buffers: send, recv and the spare one of the verified call.
TEST(End, OfRegistrationsComesBeforeThatOfCommunicatorsAndMemory) {
  auto config = two_gpus();
  config.gpu.local_register = 1;
  const FakeLog log;

  (void)run_whole(config);

  EXPECT_EQ(endings(log),
            repeated({{6, "ncclCommDeregister"}, {2, "ncclCommDestroy"}, {6, "ncclMemFree"}}));
}

TEST(End, OfWhatKernelsKnowComesBeforeThatOfTheirCommunicator) {
  auto config = two_gpus();
  config.gpu.local_register = 2;
  config.gpu.device_implementation = 1;
  const FakeLog log;

  (void)run_whole(config);

  EXPECT_EQ(endings(log), repeated({{6, "ncclCommWindowDeregister"},
                                    {1, "ncclDevCommDestroy"},
                                    {1, "ncclCommDestroy"},
                                    {1, "ncclDevCommDestroy"},
                                    {1, "ncclCommDestroy"},
                                    {6, "ncclMemFree"}}));
}

TEST(End, OfAGroupsCommunicatorsComesBeforeTheWholeOnes) {
  auto config = two_gpus();
  config.split = {.kind = SplitRule::Kind::mod, .value = 2};
  config.gpu.local_register = 1;
  const FakeLog log;

  (void)run_whole(config);

  EXPECT_EQ(endings(log),
            repeated({{6, "ncclCommDeregister"}, {4, "ncclCommDestroy"}, {6, "ncclMemFree"}}));
}

TEST(End, OfPairsThatAreInterruptedIsThatOfAWholeRun) {
  auto config = two_gpus();
  config.collective = nullptr;
  int looks = 0;
  RunEvents events;
  events.begin = [](const RunStart&) {};
  events.results = [](std::span<Record>, const RunTotals&) {};
  events.row = [](std::span<Record>) {};
  RunTotals totals;
  const FakeLog log;

  run_threads_on_fakes(
      config, kVersion, [&](RankContext& rank) { totals = run_p2p(rank, config, {}, events); },
      [&] { return ++looks > 1; });

  EXPECT_TRUE(totals.interrupted);
  EXPECT_EQ(endings(log), repeated({{2, "ncclCommDestroy"}, {6, "ncclMemFree"}}));
}

// Freeing the memory first would wait for a call that nobody ends.
TEST(End, OfARunThatFailsIsTheAbortAndThenTheMemory) {
  const auto config = two_gpus();
  const FakeLog log;

  set_fake_faults("async_error=1:3");
  EXPECT_THROW((void)run_whole(config), Error);
  set_fake_faults("");

  EXPECT_EQ(endings(log), repeated({{2, "ncclCommAbort"}, {6, "ncclMemFree"}}));
}

}  // namespace
}  // namespace linerate::nccl
