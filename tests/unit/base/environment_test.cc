// Variables from a map, and what of them a record may keep.
#include "base/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace linerate {
namespace {

using testing::ElementsAre;

TEST(Environment, TellsEmptyFromUnset) {
  const Environment environment({{"SET", "1"}, {"EMPTY", ""}});

  EXPECT_EQ(environment.get("SET"), "1");
  EXPECT_EQ(environment.get("EMPTY"), "");
  EXPECT_EQ(environment.get("UNSET"), std::nullopt);
  EXPECT_TRUE(environment.has("EMPTY"));
  EXPECT_FALSE(environment.has("UNSET"));
}

TEST(Environment, ListsTheFilledNamesOfAPrefix) {
  const Environment environment({{"A_ONE", "1"}, {"A_TWO", "2"}, {"A_EMPTY", ""}, {"B_ONE", "1"}});

  EXPECT_THAT(environment.names_with("A_"), ElementsAre("A_ONE", "A_TWO"));
}

TEST(Environment, RecordsTheAllowListOnly) {
  const Environment environment({{"NCCL_DEBUG", "INFO"},
                                 {"OMPI_COMM_WORLD_RANK", "0"},
                                 {"GLOO_SOCKET_IFNAME", "eth0"},
                                 {"HOME", "/root"},
                                 {"MY_NCCL_DEBUG", "x"},
                                 {"AWS_SECRET_ACCESS_KEY", "x"}});

  EXPECT_THAT(environment.recordable(),
              ElementsAre("GLOO_SOCKET_IFNAME=eth0", "NCCL_DEBUG=INFO", "OMPI_COMM_WORLD_RANK=0"));
}

TEST(Environment, NeverRecordsACredential) {
  const Environment environment({{"SLURM_JWT", "eyJ"},
                                 {"SLURM_JOB_TOKEN", "x"},
                                 {"SLURMRESTD_SECURITY", "x"},
                                 {"OMPI_PASSWORD", "x"},
                                 {"OMPI_MCA_orte_hnp_uri", "x"},
                                 {"UCX_COOKIE", "x"},
                                 {"FI_API_KEY", "x"},
                                 {"CUDA_VISIBLE_DEVICES", "0,1"}});

  EXPECT_THAT(environment.recordable(), ElementsAre("CUDA_VISIBLE_DEVICES=0,1"));
}

TEST(Environment, RecordsUnknownVariablesOfNcclUnlessTheySoundSecret) {
  const Environment environment({{"NCCL_OF_TOMORROW", "1"},
                                 {"NCCL_TESTS_SPLIT", "MOD2"},
                                 {"NCCL_AUTH", "x"},
                                 {"NCCL_CREDENTIALS", "x"},
                                 {"NCCL_PASSPHRASE", "x"},
                                 {"NCCL_SECRET", "x"},
                                 {"NCCL_net_token", "x"}});

  EXPECT_THAT(environment.recordable(), ElementsAre("NCCL_OF_TOMORROW=1", "NCCL_TESTS_SPLIT=MOD2"));
}

TEST(Environment, IsReadBackFromARecord) {
  const Environment environment({{"NCCL_ALGO", "allreduce:tree=x"}, {"NCCL_PROTO", ""}});

  const auto read = Environment::of_record(environment.recordable());

  EXPECT_EQ(read.get("NCCL_ALGO"), "allreduce:tree=x");
  EXPECT_EQ(read.get("NCCL_PROTO"), "");
  EXPECT_EQ(read.get("NCCL_DEBUG"), std::nullopt);
}

TEST(Environment, ReadsTheProcessOnce) {
  ::setenv("LINERATE_TEST_VARIABLE", "a=b", 1);
  const auto environment = Environment::of_process();
  ::unsetenv("LINERATE_TEST_VARIABLE");

  EXPECT_EQ(environment.get("LINERATE_TEST_VARIABLE"), "a=b");
}

TEST(CacheFolder, IsTheOneAskedForOrInTheHome) {
  EXPECT_EQ(cache_folder(Environment({{"XDG_CACHE_HOME", "/c"}, {"HOME", "/h"}})), "/c/linerate");
  EXPECT_EQ(cache_folder(Environment({{"XDG_CACHE_HOME", ""}, {"HOME", "/h"}})),
            "/h/.cache/linerate");
  EXPECT_FALSE(cache_folder(Environment()));
}

}  // namespace
}  // namespace linerate
