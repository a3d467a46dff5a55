// What threads reach together over arrays of their own.
#include "benchmarks/machine/bandwidth.h"

#include "devices/cpu/cpu_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::benchmarks {
namespace {

TEST(Bandwidths, AreMeasuredOncePerRepeat) {
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  const SteadyClock clock;
  const auto host = make_cpu_device(0, clock);
  const Bandwidth bandwidth(kBytes, *host, clock);

  for (const auto& kernel : probe::all_kernels()) {
    if (kernel.name.ends_with("combine")) continue;  // has a fourth array
    const auto gbps = bandwidth.measure_gbps(kernel, 2, 3);

    EXPECT_THAT(gbps, testing::SizeIs(3)) << kernel.name;
    EXPECT_THAT(gbps, testing::Each(testing::Gt(0))) << kernel.name;
  }
}

}  // namespace
}  // namespace linerate::benchmarks
