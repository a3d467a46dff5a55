// The table of backends: found by name, and opened where they are built in.
#include "backends/table.h"

#include "base/clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

using ::testing::HasSubstr;

TEST(BackendTable, OpensWhatIsBuiltInUnderItsName) {
  const SteadyClock clock;
  const Environment environment;
  for (const auto& row : all_backends()) {
    if (row.make == nullptr) continue;
    const auto backend = open_backend(row, {.clock = clock, .environment = environment});

    EXPECT_EQ(backend->name(), row.name);
  }
}

TEST(BackendTable, SaysWhatToInstallForEveryModule) {
  for (const auto& row : all_backends()) {
    EXPECT_FALSE(row.summary.empty());
    EXPECT_EQ(row.install.empty(), row.make != nullptr) << row.name;
  }
}

TEST(BackendTable, NamesTheNearestMatch) {
  const auto row = find_backend("hsot");

  ASSERT_FALSE(row);
  EXPECT_THAT(row.sentence(), HasSubstr("choose one of host, mpi, gloo, nccl, fake"));
}

TEST(BackendTable, HasNoSessionForWhatIsBuiltIn) {
  const SteadyClock clock;

  EXPECT_EQ(open_session(**find_backend("host"), {.clock = clock, .here = {}}, {}), nullptr);
}

}  // namespace
}  // namespace linerate
