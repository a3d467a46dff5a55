// Two ranks on one GPU are found before NCCL is asked.
#include "backends/nccl/placement.h"

#include "support/gpu/fake_nccl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace linerate::nccl {
namespace {

using testing::HasSubstr;

GpuOfRank gpu(int rank, const char* node, const char* bus_id) {
  return {.rank = rank, .hostname = "cn1", .node = node, .bus_id = bus_id, .index = rank};
}

TEST(SharedGpu, IsNoneWhereEachRankHasItsOwn) {
  const std::vector<GpuOfRank> gpus{gpu(0, "a", "0000:18:00"), gpu(1, "a", "0000:2a:00"),
                                    gpu(2, "b", "0000:18:00")};

  EXPECT_EQ(sharing_refusal(gpus, Sharing::none), "");
}

TEST(SharedGpu, IsNamedWithTheMapOfRanks) {
  const std::vector<GpuOfRank> gpus{gpu(0, "a", "0000:18:00"), gpu(1, "a", "0000:2a:00"),
                                    gpu(2, "a", "0000:18:00")};

  const auto sentence = sharing_refusal(gpus, Sharing::none);

  EXPECT_THAT(sentence, HasSubstr("Ranks 0 and 2 have the same GPU, cn1 GPU 2 [0000:18:00]"));
  EXPECT_THAT(sentence, HasSubstr("rank 1: cn1 GPU 1 [0000:2a:00]"));
  EXPECT_THAT(sentence, HasSubstr("CUDA_VISIBLE_DEVICES"));
}

TEST(SharedGpu, IsAllowedToProcessesOrToAllRanks) {
  std::vector<GpuOfRank> gpus{gpu(0, "a", "0000:18:00"), gpu(1, "a", "0000:18:00")};
  gpus[0].pid = 7;
  gpus[1].pid = 8;

  EXPECT_EQ(sharing_refusal(gpus, Sharing::processes), "");

  gpus[1].pid = 7;

  EXPECT_THAT(sharing_refusal(gpus, Sharing::processes), HasSubstr("in one process"));
  EXPECT_EQ(sharing_refusal(gpus, Sharing::all), "");
}

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
