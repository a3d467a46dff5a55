// Bandwidth and flags of this machine: that they are measured, not how fast it is.
#include "bench/probe/bandwidth.h"

#include "bench/probe/cores.h"
#include "bench/probe/flag.h"
#include "devices/cpu/cpu_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::probe {
namespace {

constexpr std::size_t kBytes = std::size_t{1} << 20;

TEST(Bandwidths, AreMeasuredOncePerRepeat) {
  const SteadyClock clock;
  const auto host = make_cpu_device(0, clock);
  Bandwidth bandwidth(kBytes, *host, clock);

  for (const auto& kernel : all_kernels()) {
    if (kernel.name.ends_with("combine")) continue;  // has a fourth array
    const auto gbps = bandwidth.measure_gbps(kernel, 2, 3);

    EXPECT_THAT(gbps, testing::SizeIs(3)) << kernel.name;
    EXPECT_THAT(gbps, testing::Each(testing::Gt(0))) << kernel.name;
  }
}

TEST(Flags, TakeTimeBothWays) {
  if (ncores() < 2) GTEST_SKIP() << "one core: nobody answers";
  const SteadyClock clock;

  const auto times_ns = flag_round_trips_ns(clock, 2);

  EXPECT_THAT(times_ns, testing::SizeIs(2));
  EXPECT_THAT(times_ns, testing::Each(testing::Gt(1)));
}

}  // namespace
}  // namespace linerate::probe
