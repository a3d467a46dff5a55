// memcpy_perf's copies over fake GPUs on a virtual clock: data, figures, gates and errors.
#include "bench/memcpy/memcpy_run.h"
#include "devices/cuda/copy_queue.h"
#include "devices/cuda/cuda_copy_bench.h"
#include "devices/cuda/cuda_error.h"
#include "devices/cuda/cuda_stream.h"
#include "support/gpu/fake_cuda.h"
#include "support/gpu/fake_timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::cuda {
namespace {

using testing::HasSubstr;

constexpr std::size_t kBytes = 1 << 16;
constexpr double kGbps = 10;
constexpr double kClose = 1e-4;  // relative: CUDA yields times as float

// One machine with two or three fake GPUs.
struct Machine {
  explicit Machine(const FakeLinks& links = {}) : timeline(links) {}

  Record only_cell(std::string_view name, std::vector<int> gpus, CopyRepeat repeat = {}) {
    const auto records = run(name, std::move(gpus), repeat);
    EXPECT_EQ(records.size(), 1u);
    return records.at(0);
  }

  std::vector<Record> run(std::string_view name, std::vector<int> gpus, CopyRepeat repeat = {}) {
    repeat.bytes = kBytes;
    const auto tests = find_copy_tests(name, true);
    const std::vector plans{plan_of(
        *tests->front(), {.gpus = std::move(gpus),
                          .reach = [&](int a, int b) { return bench->reach_each_other(a, b); }})};
    std::vector<Record> records;
    totals = run_memcpy(*bench, plans, repeat, {},
                        {.result = [&](const Record& r) { records.push_back(r); },
                         .matrix = [](const CopyPlan&, const auto&) {},
                         .warn = [&](const std::string& text) { warnings.push_back(text); },
                         .interrupted = [] { return false; }});
    return records;
  }

  FakeTimeline timeline;
  std::unique_ptr<CopyBench> bench = make_cuda_copy_bench({.api = fake_timeline_cuda(),
                                                           .kernels = fake_timeline_fills(),
                                                           .copy_kernels = fake_timeline_kernels(),
                                                           .clock = timeline.clock()});
  MemcpyTotals totals{};
  std::vector<std::string> warnings{};
};

std::vector<std::string> names_of_tests() {
  std::vector<std::string> names;
  for (const auto& test : all_copy_tests())
    if (test.kind->needs_gpu()) names.push_back(test.name);
  return names;
}

class EveryCopyTest : public testing::TestWithParam<std::string> {};

TEST_P(EveryCopyTest, CopiesTheRightDataAndTellsItsBandwidth) {
  Machine machine;

  const auto records = machine.run(GetParam(), {0, 1, 2}, {.iters = 2});

  ASSERT_FALSE(records.empty());
  for (const auto& record : records) {
    EXPECT_EQ(record.wrong, 0u);
    double streams = 0;
    for (const auto& stream : record.copy->streams) streams += stream.gbps;
    EXPECT_NEAR(record.algbw_gbps / streams, 1, kClose);
    EXPECT_NEAR(streams / kGbps / static_cast<double>(record.copy->streams.size()), 1, kClose);
  }
  EXPECT_EQ(machine.totals.failed_checks, 0u);
  EXPECT_EQ(machine.timeline.pending(), 0u);
}

TEST_P(EveryCopyTest, FindsAByteThatArrivesWrong) {
  Machine machine;
  machine.timeline.broken_byte = 8 * 1000 + 3;

  const auto records = machine.run(GetParam(), {0, 1}, {.iters = 1});

  for (const auto& record : records) {
    EXPECT_EQ(record.wrong, record.copy->streams.size());
    ASSERT_TRUE(record.where);
    EXPECT_EQ(record.where->first.index, 1000u);
  }
  EXPECT_EQ(machine.totals.failed_checks, records.size());
}

INSTANTIATE_TEST_SUITE_P(Copies, EveryCopyTest, testing::ValuesIn(names_of_tests()),
                         [](const auto& test) { return test.param; });

TEST(CudaCopies, AddUpToTwiceTheBandwidthOverAFullDuplexLink) {
  Machine machine;

  const auto one = machine.only_cell("h2d_ce", {0});
  const auto both = machine.only_cell("host_bidir_ce", {0});

  EXPECT_NEAR(one.busbw_gbps, kGbps, kGbps * kClose);
  EXPECT_NEAR(both.busbw_gbps, 2 * kGbps, kGbps * kClose);
}

TEST(CudaCopies, AddUpToOnceTheBandwidthOverAHalfDuplexLink) {
  Machine machine({.full_duplex = false});

  EXPECT_NEAR(machine.only_cell("host_bidir_sm", {0}).busbw_gbps, kGbps, kGbps * kClose);
  EXPECT_NEAR(machine.only_cell("d2d_bidir_read_ce", {0, 1}).busbw_gbps, kGbps, kGbps * kClose);
}

TEST(CudaCopies, KeepBothDirectionsBusyWhereOneIsSlower) {
  Machine machine({.slow_up = 2});

  const auto both = machine.only_cell("host_bidir_ce", {0});

  EXPECT_EQ(both.copy->streams[0].copies, 2 * both.copy->streams[1].copies);
  EXPECT_NEAR(both.busbw_gbps, 1.5 * kGbps, kGbps * kClose);
}

// Without a warm-up nothing is known of the slower one: half of the interval it runs alone.
TEST(CudaCopies, EndWithTheSlowerDirection) {
  Machine machine({.slow_up = 2});

  const auto both = machine.only_cell("host_bidir_ce", {0}, {.warmup_iters = 0});

  EXPECT_NEAR(both.busbw_gbps, kGbps, kGbps * kClose);
  EXPECT_EQ(machine.warnings.size(), 1u);
}

// The fake's host needs 5 us to enqueue a copy that takes 6.5 us: with two GPUs it is far behind.
TEST(CudaCopies, DoNotTimeWhatEnqueueingTakes) {
  Machine machine;

  const auto shares = machine.run("host_to_all_ce", {0, 1, 2});

  for (const auto& share : shares) EXPECT_NEAR(share.busbw_gbps, kGbps, kGbps * kClose);
}

TEST(CudaCopies, CountReadAndWrittenBytesWithinAGpu) {
  Machine machine;

  const auto local = machine.only_cell("local_sm", {0});

  EXPECT_NEAR(local.algbw_gbps, kGbps, kGbps * kClose);
  EXPECT_NEAR(local.busbw_gbps, 2 * kGbps, kGbps * kClose);
}

TEST(CudaCopies, BetweenGpusWithoutAccessAreNotTried) {
  Machine machine({.apart = {0, 2}});

  EXPECT_EQ(machine.run("d2d_write_ce", {0, 1, 2}, {.iters = 1}).size(), 4u);
  EXPECT_FALSE(machine.bench->reach_each_other(2, 0));
}

TEST(CudaCopies, ArePoisonedBeforeTheFirst) {
  Machine machine;
  const std::vector<CopyStream> streams{{kHostEnd, 0, 0, CopyEngine::ce},
                                        {0, kHostEnd, 0, CopyEngine::sm}};
  const auto run = machine.bench->prepare({.streams = streams, .bytes = kBytes, .limit_s = 1});

  for (const auto& compared : run->verify())
    EXPECT_EQ(compared.wrong, kBytes / sizeof(std::uint64_t));
}

TEST(CudaCopies, OpenTheGateWhereEnqueueingFails) {
  constexpr int kMax = 40;  // one sample has 32 copies
  for (int good = 0; good < kMax; good += 3) {
    Machine machine;
    const CopyStream stream{kHostEnd, 0, 0, CopyEngine::ce};
    const auto run =
        machine.bench->prepare({.streams = {&stream, 1}, .bytes = kBytes, .limit_s = 0.01});
    machine.timeline.fail_copy_in = good;

    EXPECT_THROW((void)run->measure(std::vector<std::uint64_t>{kMax}), Error);

    const CudaStream idle(fake_timeline_cuda(), 0, StreamKind::own);
    EXPECT_TRUE(idle.get() != nullptr);
    (void)fake_timeline_cuda().stream_query(idle.get());
    EXPECT_EQ(machine.timeline.open_gates(), 0) << good;
    EXPECT_EQ(machine.timeline.pending(), 0u) << good;
  }
}

// The sentence of what `body` throws; it is no timeout where it is empty.
template <typename Body>
std::string timeout_of(const Body& body) {
  try {
    body();
  } catch (const TimeoutError& error) {
    return error.what();
  }
  return {};
}

// Freeing on a GPU that hangs never returns: nothing is asked of it again, to the end of the run.
TEST(CudaCopies, GiveUpWhereAGpuHangsAndFreeNothing) {
  Machine machine;
  const CopyStream stream{kHostEnd, 0, 0, CopyEngine::ce};
  auto run = machine.bench->prepare({.streams = {&stream, 1}, .bytes = kBytes, .limit_s = 0.01});
  machine.timeline.hang_copy_in = 0;

  const auto sentence = timeout_of([&] { (void)run->measure(std::vector<std::uint64_t>{1}); });
  run.reset();
  machine.bench.reset();

  EXPECT_THAT(sentence, HasSubstr("GPU 0 did not end the copies within 0.01 s (-T)"));
  EXPECT_EQ(machine.timeline.endless_waits(), 0);
}

TEST(CudaCopies, GiveUpWhereAGpuHangsAtTheVeryFirstCopy) {
  Machine machine;
  const CopyStream stream{kHostEnd, 0, 0, CopyEngine::ce};
  machine.timeline.hang_copy_in = 0;

  const auto sentence = timeout_of([&] {
    (void)machine.bench->prepare({.streams = {&stream, 1}, .bytes = kBytes, .limit_s = 0.01});
  });
  machine.bench.reset();

  EXPECT_THAT(sentence, HasSubstr("GPU 0 did not end the copies"));
  EXPECT_EQ(machine.timeline.endless_waits(), 0);
}

TEST(CudaCopies, GiveUpWhereAGpuHangsWhileDataIsCompared) {
  Machine machine;
  const CopyStream stream{kHostEnd, 1, 1, CopyEngine::ce};
  auto run = machine.bench->prepare({.streams = {&stream, 1}, .bytes = kBytes, .limit_s = 0.01});
  (void)run->measure(std::vector<std::uint64_t>{1});
  machine.timeline.stuck = true;

  const auto sentence = timeout_of([&] { (void)run->verify(); });
  run.reset();
  machine.bench.reset();

  EXPECT_THAT(sentence, HasSubstr("GPU 1 did not end a comparison within 0.01 s"));
  EXPECT_EQ(machine.timeline.endless_waits(), 0);
}

// Streams wait for each other: the gate is on the first one's GPU, and so is the end of all.
TEST(CudaCopies, NameTheGpuThatHangsAmongSeveral) {
  const std::vector<CopyStream> streams{{kHostEnd, 0, 0, CopyEngine::ce},
                                        {kHostEnd, 1, 1, CopyEngine::ce},
                                        {kHostEnd, 2, 2, CopyEngine::sm}};
  for (const int gpu : {0, 1, 2})
    for (const bool at_gate : {true, false}) {
      Machine machine;
      const auto run =
          machine.bench->prepare({.streams = streams, .bytes = kBytes, .limit_s = 0.01});
      machine.timeline.faulty_gpu = gpu;
      machine.timeline.stuck = at_gate;
      machine.timeline.hang_copy_in = 2;

      const auto sentence = timeout_of([&] {
        (void)run->measure(std::vector<std::uint64_t>{4, 4, 4});
      });

      EXPECT_THAT(sentence, HasSubstr("GPU " + std::to_string(gpu) + " did not end the copies"));
    }
}

TEST(CudaCopies, ThatFailNameTestGpuAndCall) {
  Machine machine;
  machine.timeline.faulty_gpu = 2;
  machine.timeline.fail_copy_in = 10;

  try {
    (void)machine.run("host_to_all_ce", {0, 1, 2});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::failed);
    EXPECT_THAT(error.what(), HasSubstr("host_to_all_ce, host -> gpu0 and 2 more at once, 65536 "
                                        "bytes: GPU 2: cudaMemcpyAsync failed:"));
  }
}

TEST(CudaCopies, AreNotTimedWhereTheGateGaveUp) {
  Machine machine;
  const CopyStream stream{kHostEnd, 0, 0, CopyEngine::ce};
  const auto run = machine.bench->prepare({.streams = {&stream, 1}, .bytes = kBytes, .limit_s = 9});
  machine.timeline.limit_s = 20e-6;  // less than enqueueing takes

  try {
    (void)run->measure(std::vector<std::uint64_t>{32});
    FAIL() << "not refused";
  } catch (const TimeoutError& error) {
    EXPECT_THAT(error.what(), HasSubstr("CUDA_LAUNCH_BLOCKING"));
  }
}

TEST(CudaCopies, LeaveNothingBehind) {
  Machine machine;

  (void)machine.run("into_one_read_sm", {0, 1, 2}, {.iters = 1});
  machine.bench.reset();

  EXPECT_EQ(machine.timeline.endless_waits(), 0);
  EXPECT_EQ(machine.timeline.streams(), 0u);
  EXPECT_EQ(machine.timeline.events(), 0u);
}

TEST(CudaCopies, NeedADriver) {
  const SteadyClock clock;

  EXPECT_THROW((void)make_cuda_copy_bench({.api = fake_cuda_without_driver(),
                                           .kernels = fake_timeline_fills(),
                                           .copy_kernels = fake_timeline_kernels(),
                                           .clock = clock}),
               Unavailable);
}

}  // namespace
}  // namespace linerate::cuda
