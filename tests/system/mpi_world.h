// Tests that run on every rank of one mpirun: they share the session that the test's main() made.
#pragma once

#include "base/clock.h"
#include "comm/plugin.h"
#include "launch/place.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>

namespace linerate {

inline PluginInput input_of_this_process(const Clock& clock) {
  const auto host = this_host();
  return {.clock = clock,
          .here = {.hostname = host.hostname, .identity = host.identity},
          .place_within = place_within,
          .deadline = Deadline::after(clock, 60)};
}

// Other ranks than 0 print failures only.
class Quiet final : public ::testing::EmptyTestEventListener {
  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    if (result.failed())
      std::fprintf(stderr, "%s:%d: %s\n", result.file_name(), result.line_number(),
                   result.message());
  }
};

// Runs all tests on every rank; a rank's exception ends the job, because the others wait for it.
inline int run_all_on_ranks(Bootstrap& job) {
  GTEST_FLAG_SET(catch_exceptions, false);
  auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
  if (job.rank() != 0) {
    const std::unique_ptr<::testing::TestEventListener> silenced(
        listeners.Release(listeners.default_result_printer()));
    listeners.Append(std::make_unique<Quiet>().release());
  }
  return RUN_ALL_TESTS();
}

}  // namespace linerate
