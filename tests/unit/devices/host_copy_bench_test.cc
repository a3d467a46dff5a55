// Copies within the host's memory: what is asked for is copied, timed and compared.
#include "devices/cpu/cpu_device.h"

#include <gtest/gtest.h>

#include <vector>

namespace linerate {
namespace {

constexpr CopyStream kThread{kHostEnd, kHostEnd, kHostEnd, CopyEngine::cpu};

TEST(HostCopyBench, CopiesWithEveryThreadAndComparesAll) {
  const SteadyClock clock;
  const auto bench = make_host_copy_bench(clock);
  const std::vector streams(3, kThread);
  const auto run = bench->prepare({.streams = streams, .bytes = 1 << 16, .limit_s = 1});

  const auto timing = run->measure(std::vector<std::uint64_t>{1, 2, 3});

  ASSERT_EQ(timing.stream_us.size(), 3u);
  for (const double us : timing.stream_us) {
    EXPECT_GT(us, 0);
    EXPECT_LE(us, timing.interval_us);
  }
  for (const auto& compared : run->verify()) EXPECT_EQ(compared.wrong, 0u);
}

TEST(HostCopyBench, FindsThatNothingWasCopied) {
  const SteadyClock clock;
  const auto bench = make_host_copy_bench(clock);
  const auto run = bench->prepare({.streams = {&kThread, 1}, .bytes = 4096, .limit_s = 1});

  const auto compared = run->verify();

  ASSERT_EQ(compared.size(), 1u);
  EXPECT_EQ(compared[0].wrong, 4096 / sizeof(std::uint64_t));
  EXPECT_EQ(compared[0].first->index, 0u);
}

TEST(HostCopyBench, HasNoGpus) {
  const SteadyClock clock;

  EXPECT_EQ(make_host_copy_bench(clock)->gpus(), 0);
}

}  // namespace
}  // namespace linerate
