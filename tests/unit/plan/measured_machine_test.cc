// A measured machine: between its points, as a file, and what must be measured.
#include "plan/measured_machine.h"

#include "machines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace linerate::plan {
namespace {

const Kernel kProduct{KernelKind::product, 64, 64, 64};

Measurements some_measurements() {
  return {.host = "node07",
          .nranks = 4,
          .cores = 2,
          .memory_bytes = 8e9,
          .kernels_us = {{kProduct, 10}, {{KernelKind::product, 1024, 1024, 1024}, 20000}},
          .calls = {{CallKind::all_reduce, 2, 1024, 5}, {CallKind::all_reduce, 2, 4096, 11}}};
}

TEST(MeasuredKernels, HaveTheRateOfTheNearestWhereTheyWereNotMeasured) {
  const MeasuredKernels kernels(some_measurements().kernels_us);

  EXPECT_EQ(kernels.us(kProduct), 10);
  EXPECT_DOUBLE_EQ(kernels.us({KernelKind::product, 128, 64, 64}), 20);
  EXPECT_DOUBLE_EQ(kernels.us({KernelKind::product, 1024, 1024, 512}), 10000);
}

TEST(MeasuredLinks, GoStraightBetweenSizes) {
  const MeasuredLinks links(some_measurements().calls);
  const auto us = [&](double bytes) { return links.us(CallKind::all_reduce, {2, 1}, bytes); };

  EXPECT_EQ(us(8), 5);
  EXPECT_DOUBLE_EQ(us(2560), 8);
  EXPECT_DOUBLE_EQ(us(8192), 22);
  EXPECT_EQ(us(0), 0);
}

TEST(Measurements, AreReadAsTheyWereWritten) {
  const auto written = some_measurements();

  const auto read = read_measurements(measurements_json(written));

  ASSERT_TRUE(read.ok()) << read.sentence();
  EXPECT_EQ(read->host, "node07");
  EXPECT_EQ(read->nranks, 4);
  EXPECT_EQ(read->kernels_us, written.kernels_us);
  EXPECT_EQ(read->calls, written.calls);
}

TEST(Measurements, ThatAreDamagedAreRefused) {
  const auto good = measurements_json(some_measurements());
  const auto with = [&](std::string_view from, std::string_view to) {
    auto text = good;
    text.replace(text.find(from), from.size(), to);
    return read_measurements(text).ok();
  };

  EXPECT_TRUE(with("node07", "node08"));
  EXPECT_FALSE(with("product", "gemm"));
  EXPECT_FALSE(with("all_reduce", "reduce"));
  EXPECT_FALSE(with("\"schema\":1", "\"schema\":2"));
  EXPECT_FALSE(with("10.0]", "-1.0]"));
  EXPECT_FALSE(with("\"nranks\":4", "\"nranks\":0"));
  EXPECT_FALSE(with("\"nranks\":4", "\"nranks\":1"));
  EXPECT_FALSE(read_measurements("{").ok());
}

TEST(MeasuredMachine, RanksShareItsCoresAndMemory) {
  const auto machine = measured_machine(some_measurements());

  EXPECT_DOUBLE_EQ(machine.share(), 0.5);
  EXPECT_DOUBLE_EQ(machine.hidden_share(), 0);
  EXPECT_DOUBLE_EQ(machine.memory_bytes, 2e9);
  EXPECT_DOUBLE_EQ(machine.peak_flops, 2.0 * (1 << 30) / 20000 * 1e6 / 2);
}

TEST(Needs, AreAllThatPredictionsAskFor) {
  auto config = training_of("nano");
  config.tp = 2;
  config.micro_batch = 4;

  const auto needs = needs_of({config}, DataType::float32, 4);

  const Kernel up{KernelKind::product, 512, 256, 128};  // a rank's half of the MLP
  EXPECT_EQ(std::ranges::count(needs.kernels, up), 1);
  const auto sums = std::ranges::find_if(needs.calls, [](const Needs::Calls& calls) {
    return calls.call == CallKind::all_reduce && calls.size == 2;
  });
  ASSERT_NE(sums, needs.calls.end());
  EXPECT_GE(sums->most_bytes, 4.0 * 4 * 128 * 128);
}

}  // namespace
}  // namespace linerate::plan
