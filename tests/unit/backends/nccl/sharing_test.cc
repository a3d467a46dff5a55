// What NCCL is told so that ranks may share a GPU.
#include "backends/nccl/sharing.h"

#include "support/gpu/fake_nccl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace linerate::nccl {
namespace {

constexpr int kBefore = NCCL_VERSION(2, 29, 3), kSince = NCCL_VERSION(2, 30, 0);

class AllowSharing : public testing::Test {
 protected:
  void SetUp() override { forget(); }
  void TearDown() override { forget(); }

  static void forget() {
    ::unsetenv("NCCL_HOSTID");
    ::unsetenv("NCCL_MULTI_RANK_GPU_ENABLE");
  }
  static std::string variable(const char* name) {
    const char* const text = std::getenv(name);
    return text == nullptr ? "unset" : text;
  }
  static std::string host_after(int version, bool oversubscribe = true) {
    allow_sharing(fake_nccl(version), {.oversubscribe = oversubscribe});
    return variable("NCCL_HOSTID");
  }
};

TEST_F(AllowSharing, MakesEachProcessANodeOfItsOwnBefore230) {
  const auto first = host_after(kBefore);
  forget();
  const auto second = host_after(kBefore);

  // The same pid and hostname, as in two containers.
  EXPECT_THAT(first, testing::MatchesRegex(".*-[0-9]+-[0-9a-f]{16}"));
  EXPECT_NE(first, second);
  EXPECT_EQ(variable("NCCL_MULTI_RANK_GPU_ENABLE"), "unset");
}

TEST_F(AllowSharing, KeepsOneIdentityForAllRanksOfAProcess) {
  const auto first = host_after(kBefore);

  EXPECT_EQ(host_after(kBefore), first);
}

TEST_F(AllowSharing, IsAskedOfNcclItselfFrom230On) {
  EXPECT_EQ(host_after(kSince), "unset");
  EXPECT_EQ(variable("NCCL_MULTI_RANK_GPU_ENABLE"), "1");
}

TEST_F(AllowSharing, LeavesWhatTheUserHasSet) {
  ::setenv("NCCL_HOSTID", "mine", 1);
  ::setenv("NCCL_MULTI_RANK_GPU_ENABLE", "0", 1);

  EXPECT_EQ(host_after(kBefore), "mine");
  (void)host_after(kSince);
  EXPECT_EQ(variable("NCCL_MULTI_RANK_GPU_ENABLE"), "0");
}

TEST_F(AllowSharing, SetsNothingUnlessAsked) {
  EXPECT_EQ(host_after(kBefore, false), "unset");
  (void)host_after(kSince, false);
  EXPECT_EQ(variable("NCCL_MULTI_RANK_GPU_ENABLE"), "unset");
}

}  // namespace
}  // namespace linerate::nccl
