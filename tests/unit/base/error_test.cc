// Thrown failures carry their sentence, exit code and place; results carry a value or a sentence.
#include "base/error.h"

#include "base/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <memory>

namespace linerate {
namespace {

using testing::ElementsAre;
using testing::EndsWith;

TEST(Errors, CarryTheExitCodeOfTheirKind) {
  EXPECT_EQ(Error("x").exit_code(), ExitCode::failed);
  EXPECT_EQ(SystemError(ENOENT, "open").exit_code(), ExitCode::failed);
  EXPECT_EQ(Unavailable("x").exit_code(), ExitCode::unavailable);
  EXPECT_EQ(PeerFailure("x").exit_code(), ExitCode::lost);
  EXPECT_EQ(TimeoutError("x").exit_code(), ExitCode::lost);
}

TEST(Errors, KnowWhereTheyWereFound) {
  EXPECT_THAT(Error("x").where().file_name(), EndsWith("error_test.cc"));
  EXPECT_THAT(PeerFailure("x", {1, 3}).ranks(), ElementsAre(1, 3));
}

TEST(CheckSystem, ThrowsWithTheCallAndItsErrno) {
  errno = EACCES;
  try {
    check_system(-1, "open of run.jsonl");
    FAIL() << "did not throw";
  } catch (const SystemError& error) {
    EXPECT_EQ(error.code(), EACCES);
    EXPECT_STREQ(error.what(), "open of run.jsonl: Permission denied (errno 13)");
  }
  EXPECT_EQ(check_system(7, "read"), 7);
}

TEST(Results, HoldAValueOrASentence) {
  const Result<int> value = 3;
  const Result<int> failure = Failure{"No."};

  EXPECT_TRUE(value.ok());
  EXPECT_EQ(*value, 3);
  EXPECT_FALSE(failure);
  EXPECT_EQ(failure.sentence(), "No.");
  EXPECT_EQ(failure.failure().sentence, "No.");
}

TEST(Results, GiveAwayWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);

  const auto owned = *std::move(result);

  EXPECT_EQ(*owned, 5);
}

}  // namespace
}  // namespace linerate
