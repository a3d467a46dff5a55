// Processes that were started with different settings are told which.
#include "job/processes.h"

#include "base/error.h"
#include "launch/solo_bootstrap.h"
#include "launch/threads/rank_threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace linerate {
namespace {

using Settings = std::vector<Setting>;

// What each of three threads, in the place of processes, is told; empty: nothing.
std::array<std::string, 3> compare(const std::array<Settings, 3>& settings) {
  std::array<std::string, 3> told;
  run_rank_threads(*solo_bootstrap(), 3, [&](Bootstrap& member) {
    const auto rank = static_cast<std::size_t>(member.rank());
    try {
      compare_settings(member, settings[rank], Deadline::never());
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_code(), ExitCode::usage);
      told[rank] = error.what();
    }
  });
  return told;
}

const Settings kUsual{{"-n/--iters", "20"}, {"-c/--check", "1"}};

TEST(Settings, ThatAreEqualAreNoReasonToSayAnything) {
  EXPECT_THAT(compare({kUsual, kUsual, kUsual}), testing::Each(testing::IsEmpty()));
}

TEST(Settings, ThatDifferAreNamedWithBothValuesInEveryProcess) {
  const auto told = compare({kUsual, kUsual, Settings{{"-n/--iters", "20"}, {"-c/--check", "0"}}});

  EXPECT_THAT(
      told, testing::Each(testing::HasSubstr("-c/--check is 1 in process 0 and 0 in process 2.")));
}

TEST(Settings, ThatOnlyOneProcessHasAreNamed) {
  const auto told = compare({kUsual, Settings{{"-n/--iters", "20"}}, kUsual});

  EXPECT_THAT(told, testing::Each(testing::HasSubstr(
                        "-c/--check is 1 in process 0 and not given in process 1.")));
}

}  // namespace
}  // namespace linerate
