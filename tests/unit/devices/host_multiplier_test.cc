// A product of matrices, against its definition.
#include "devices/cpu/host_multiplier.h"

#include "base/clock.h"
#include "devices/cpu/cpu_device.h"

#include <gtest/gtest.h>

#include <span>
#include <vector>

namespace linerate {
namespace {

// Small whole numbers: every sum is exact, in any order.
float whole_number(std::size_t i) { return static_cast<float>(i * 7 % 11) - 5; }

TEST(HostMultiplier, MultipliesRowsByColumnsWhateverWasThere) {
  const SteadyClock clock;
  const auto device = make_cpu_device(0, clock);
  const auto stream = device->stream();
  EXPECT_EQ(device->multiplier().type(), DataType::float32);
  for (const std::size_t n : {8, 16, 40, 72}) {
    std::vector<float> a(n * n), b(n * n), c(n * n, 3);
    for (std::size_t i = 0; i < n * n; ++i) {
      a[i] = whole_number(i);
      b[i] = whole_number(3 * i + 1);
    }

    device->multiplier().multiply({.n = n,
                                   .a = std::as_bytes(std::span(a)).data(),
                                   .b = std::as_bytes(std::span(b)).data(),
                                   .c = std::as_writable_bytes(std::span(c)).data()},
                                  *stream);

    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        float sum = 0;
        for (std::size_t p = 0; p < n; ++p) sum += a[i * n + p] * b[p * n + j];
        ASSERT_EQ(c[i * n + j], sum) << n << ": " << i << ", " << j;
      }
  }
}

}  // namespace
}  // namespace linerate
