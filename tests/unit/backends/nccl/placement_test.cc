// Two ranks on one GPU are found before NCCL is asked.
#include "backends/nccl/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace linerate::nccl
