// What communicators are created with, and what a library is too old for.
#include "backends/nccl/comm_config.h"

#include "backends/nccl/nccl_backend.h"
#include "backends/nccl/placement.h"
#include "base/error.h"
#include "support/gpu/fake_cuda.h"
#include "support/gpu/fake_nccl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <string>

namespace linerate::nccl {
namespace {

using testing::HasSubstr;

constexpr int k218 = NCCL_VERSION(2, 18, 5);
constexpr int k226 = NCCL_VERSION(2, 26, 2);
constexpr int k228 = NCCL_VERSION(2, 28, 9);
constexpr int k230 = NCCL_VERSION(2, 30, 1);

std::string refusal_of(int version, const GpuOptions& options) {
  const SteadyClock clock;
  try {
    (void)make_nccl_backend(
        fake_nccl(version),
        {.api = cuda::fake_cuda(), .kernels = cuda::kernels_on_host(), .clock = clock}, options);
  } catch (const Unavailable& error) {
    return error.what();
  }
  return {};
}

TEST(CommConfig, IsTheLibrarysDefault) {
  const ncclConfig_t wanted = NCCL_CONFIG_INITIALIZER;

  const auto config = comm_config(fake_nccl(k228), {});

  EXPECT_EQ(config.CTAPolicy, wanted.CTAPolicy);
  EXPECT_EQ(config.nvlinkCentricSched, wanted.nvlinkCentricSched);
  EXPECT_EQ(config.maxCTAs, wanted.maxCTAs);
  EXPECT_EQ(config.blocking, wanted.blocking);
}

TEST(CommConfig, TakesWhatIsAsked) {
  EXPECT_EQ(comm_config(fake_nccl(k228), {.cta_policy = 2}).CTAPolicy, 2);
  EXPECT_EQ(comm_config(fake_nccl(k228), {.nccl_tests_config = true}).nvlinkCentricSched, 1);
  EXPECT_EQ(comm_config(fake_nccl(k230), {.oversubscribe = true}).maxCTAs, 4);
}

TEST(CommConfig, RefusesWhatTheLibraryWouldIgnore) {
  EXPECT_THAT(refusal_of(k226, {.cta_policy = 0}), HasSubstr("-x needs NCCL 2.27.0 or newer"));
  EXPECT_THAT(refusal_of(NCCL_VERSION(2, 27, 7), {.cta_policy = 2}),
              HasSubstr("-x 2 needs NCCL 2.28.0 or newer"));
  EXPECT_EQ(refusal_of(NCCL_VERSION(2, 27, 7), {.cta_policy = 1}), "");
  EXPECT_THAT(refusal_of(k226, {.nccl_tests_config = true}),
              HasSubstr("--nccl-tests-config needs"));
  EXPECT_THAT(refusal_of(k226, {.local_register = 2}), HasSubstr("-R 2 needs NCCL 2.27.0"));
  EXPECT_THAT(refusal_of(k218, {.local_register = 1}), HasSubstr("-R 1 needs NCCL 2.19.0"));
  EXPECT_THAT(refusal_of(k218, {.local_register = 1}), HasSubstr("is 2.18.5"));
  EXPECT_EQ(refusal_of(k226, {.local_register = 1}), "");
  EXPECT_EQ(refusal_of(k228, {.local_register = 2, .cta_policy = 1}), "");
}

TEST(CommConfig, RefusesCallsThatDoNotBlock) {
  ::setenv("NCCL_COMM_BLOCKING", "0", 1);
  EXPECT_THROW((void)comm_config(fake_nccl(k228), {}), Error);
  ::setenv("NCCL_COMM_BLOCKING", "1", 1);
  EXPECT_NO_THROW((void)comm_config(fake_nccl(k228), {}));
  ::unsetenv("NCCL_COMM_BLOCKING");
}

class OneGpuForMany : public testing::Test {
 protected:
  void TearDown() override {
    unsetenv("NCCL_HOSTID");
    unsetenv("NCCL_MULTI_RANK_GPU_ENABLE");
  }
};

TEST_F(OneGpuForMany, IsOffUnlessAskedFor) {
  allow_sharing(fake_nccl(k230), {});

  EXPECT_EQ(sharing_of(fake_nccl(k230), {}), Sharing::none);
  EXPECT_EQ(getenv("NCCL_MULTI_RANK_GPU_ENABLE"), nullptr);
}

TEST_F(OneGpuForMany, IsNcclsOwnFromVersion230) {
  allow_sharing(fake_nccl(k230), {.oversubscribe = true});

  EXPECT_EQ(sharing_of(fake_nccl(k230), {.oversubscribe = true}), Sharing::all);
  EXPECT_STREQ(getenv("NCCL_MULTI_RANK_GPU_ENABLE"), "1");
  EXPECT_EQ(getenv("NCCL_HOSTID"), nullptr);
}

TEST_F(OneGpuForMany, MakesEachProcessAHostBefore) {
  allow_sharing(fake_nccl(k228), {.oversubscribe = true});

  EXPECT_EQ(sharing_of(fake_nccl(k228), {.oversubscribe = true}), Sharing::processes);
  EXPECT_THAT(getenv("NCCL_HOSTID"), HasSubstr(std::to_string(getpid())));
}

TEST_F(OneGpuForMany, LeavesWhatTheUserHasSet) {
  setenv("NCCL_HOSTID", "mine", 1);

  allow_sharing(fake_nccl(k228), {.oversubscribe = true});

  EXPECT_STREQ(getenv("NCCL_HOSTID"), "mine");
}

}  // namespace
}  // namespace linerate::nccl
