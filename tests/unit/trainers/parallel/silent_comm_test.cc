// Communication that is left out: what a step takes without it.
#include "trainers/parallel/silent_comm.h"

#include "backends/host/host_backend.h"
#include "base/clock.h"
#include "support/ranks.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string_view>

namespace linerate::trainers {
namespace {

// Adds up over all ranks of `comm`, under this purpose.
float sum_of_ranks(Communicator& comm, Stream& stream, std::string_view purpose) {
  std::array values{static_cast<float>(comm.rank() + 1)};
  comm.all_reduce({.send = std::as_writable_bytes(std::span(values)),
                   .recv = std::as_writable_bytes(std::span(values)),
                   .count = 1,
                   .type = DataType::float32,
                   .tag = {.axis = "dp", .purpose = purpose}},
                  {}, stream);
  stream.synchronize(Deadline::never());
  return values[0];
}

void on_silent_ranks(const std::function<void(SilentComm&, RankOfBackend&)>& body) {
  const SteadyClock clock;
  const auto backend = make_host_backend(clock);
  run_ranks(*backend, 2, [&](RankOfBackend& rank) {
    SilentComm silent(rank.comm);
    body(silent, rank);
    rank.comm.barrier();
  });
}

TEST(SilentComm, MovesNothing) {
  on_silent_ranks([](SilentComm& silent, RankOfBackend& rank) {
    EXPECT_EQ(sum_of_ranks(silent, rank.stream, "gradient"), static_cast<float>(rank.number() + 1));
    if (rank.number() > 0) return;  // a call of one rank alone would wait for ever
    sum_of_ranks(silent, rank.stream, "gradient");
  });
}

TEST(SilentComm, ComparesClocksAllTheSame) {
  on_silent_ranks([](SilentComm& silent, RankOfBackend& rank) {
    EXPECT_EQ(sum_of_ranks(silent, rank.stream, kMetricsPurpose), 3.0F);
  });
}

TEST(SilentComm, StaysSilentInItsParts) {
  on_silent_ranks([](SilentComm& silent, RankOfBackend& rank) {
    const auto part = silent.split(0, -rank.number());

    EXPECT_EQ(part->rank(), 1 - rank.number());
    EXPECT_EQ(sum_of_ranks(*part, rank.stream, "loss"), static_cast<float>(part->rank() + 1));
    EXPECT_EQ(sum_of_ranks(*part, rank.stream, kMetricsPurpose), 3.0F);
  });
}

}  // namespace
}  // namespace linerate::trainers
