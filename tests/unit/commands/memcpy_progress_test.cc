// What is told of the time left while memcpy_perf measures: on a clock that copies drive.
#include "base/clock.h"
#include "commands/memcpy_output.h"
#include "support/folder.h"
#include "unit/bench/memcpy/made_up_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace linerate {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kCopyBytes = std::size_t{1} << 30;
constexpr double kSample_s = 4 * 1024 * 1024 * 1.024e-3;  // four rounds at 1 GB/s: 4.3 s

// What the line says at each point of a run of two results, a GPU each way, of nine samples each.
std::vector<std::string> lines_of_run() {
  TemporaryFolder folder;
  ManualClock clock;
  Progress line(clock, *TextFile::append(folder.path("stderr")), ProgressStyle::updating,
                "results");
  const auto passes = [&](double us) { clock.advance(static_cast<std::int64_t>(us * 1e3)); };
  MadeUpBench bench(
      {.gpus = 1, .gbps = [](const auto&) { return 1.0; }, .prepare_us = 2e6, .passes = passes});
  std::vector<CopyPlan> plans;
  for (const auto* test : {"h2d_ce", "d2h_ce"})
    plans.push_back(plan_of(*find_copy_tests(test, true)->front(), {.gpus = {0}}));
  const CopyRepeat repeat{.bytes = kCopyBytes, .iters = 8};
  line.plan(0, {{.pieces = pieces_of(plans, repeat)}});
  const MemcpyEvents events{.stage =
                                [&](CopyStage stage) {
                                  tell_stage(stage, line);
                                  line.tick();
                                },
                            .result =
                                [&](const Record&) {
                                  line.done();
                                  line.tick();
                                },
                            .matrix = [](const auto&, const auto&) {},
                            .warn = [](const auto&) {},
                            .interrupted = [] { return false; }};

  (void)run_memcpy(bench, plans, repeat, {}, events);

  std::vector<std::string> lines;
  const std::string erase = "\r\x1b[K";
  auto text = folder.read("stderr");
  for (auto end = text.find(erase); end != std::string::npos; end = text.find(erase)) {
    lines.push_back(text.substr(0, end));
    text.erase(0, end + erase.size());
  }
  lines.push_back(text);
  return lines;
}

TEST(MemcpyProgress, TellsTheTimeLeftFromTheFirstSampleOfALongResultOn) {
  const auto lines = lines_of_run();

  // Each result: 2 s to prepare, then nine samples of 4.3 s.
  ASSERT_EQ(lines.size(), 2u * (1 + 9 + 1 + 1));
  EXPECT_EQ(lines[0], ": 0 of 2 results in 0 s");
  EXPECT_EQ(lines[1], ": 0 of 2 results in 2 s");
  EXPECT_EQ(lines[2], ": 0 of 2 results in 6 s, about 1 min 15 s left");
  EXPECT_EQ(lines[6], ": 0 of 2 results in 23 s, about 58 s left");
  EXPECT_EQ(lines[11], ": 1 of 2 results in 41 s, about 41 s left");
  EXPECT_EQ(lines[12], ": 1 of 2 results in 41 s, about 41 s left");  // it prepares the next one
  EXPECT_EQ(lines[18], ": 1 of 2 results in 1 min 4 s, about 17 s left");
}

}  // namespace
}  // namespace linerate
