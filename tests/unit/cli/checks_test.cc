// What is refused once the ranks and the backend are known.
#include "cli/checks.h"

#include "unit/cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Optional;
using ::testing::StartsWith;

RunConfig config_for(const Collective* collective, int root = 0) {
  RunConfig config;
  config.collective = collective;
  config.root = root;
  return config;
}

TEST(CheckAgainstRanks, TakesARootThatIsARank) {
  EXPECT_EQ(check_against_ranks(config_for(&kTestGather, 7), 8), std::nullopt);
  EXPECT_EQ(check_against_ranks(config_for(&kTestGather, -1), 1), std::nullopt);
}

TEST(CheckAgainstRanks, RefusesARootThatIsNone) {
  EXPECT_THAT(check_against_ranks(config_for(&kTestGather, 8), 8),
              Optional(HasSubstr("-r/--root 8 is none of the 8 ranks: choose one from 0 to 7")));
}

TEST(CheckAgainstRanks, PassesOnWhatTheCollectiveRefuses) {
  auto even = kTestGather;
  even.refusal = [](int nranks) -> Refusal {
    if (nranks % 2 == 0) return {};
    return "even needs an even number of ranks.";
  };

  EXPECT_EQ(check_against_ranks(config_for(&even), 4), std::nullopt);
  EXPECT_THAT(check_against_ranks(config_for(&even), 3),
              Optional(HasSubstr("even number of ranks")));
}

TEST(CheckAgainstRanks, WantsAPairForP2p) {
  EXPECT_THAT(check_against_ranks(config_for(nullptr), 1), Optional(HasSubstr("at least 2 ranks")));
  EXPECT_EQ(check_against_ranks(config_for(nullptr), 2), std::nullopt);
}

TEST(CheckDeviceKernel, IsForTheCollectivesThatHaveOne) {
  const auto parsed = parse_run(tool_call(kTestGather, {"-D", "1", "-R", "2"}), Environment{});

  ASSERT_FALSE(parsed);
  EXPECT_THAT(parsed.sentence(), HasSubstr("gather_perf has no device-side kernels"));
}

TEST(GpuOptionRefusal, IsSilentOnDefaults) {
  const Words words{"-G", "0", "-p", "0", "-R", "0", "-y", "0", "-D", "0", "-V", "16", "-x", "-1"};

  EXPECT_EQ(gpu_option_refusal(config_of({}), false), std::nullopt);
  EXPECT_EQ(gpu_option_refusal(config_of(words), false), std::nullopt);
}

TEST(GpuOptionRefusal, NamesEachOption) {
  const std::map<std::string, Words> given{{"-G", {"-G", "5"}},
                                           {"-R", {"-R", "1"}},
                                           {"-x", {"-x", "0"}},
                                           {"-y", {"--stream_null", "1"}},
                                           {"-p", {"-p", "1"}}};
  for (const auto& [name, words] : given)
    EXPECT_THAT(gpu_option_refusal(config_of(words), false),
                Optional(StartsWith(name + " needs the nccl backend")));
}

TEST(GpuOptionRefusal, NamesTheFirstOfSeveral) {
  EXPECT_THAT(gpu_option_refusal(config_of({"-p", "1", "-G", "2"}), false),
              Optional(StartsWith("-G ")));
  EXPECT_THAT(gpu_option_refusal(config_of({"-D", "1", "-R", "2"}), false),
              Optional(StartsWith("-R ")));
}

TEST(GpuOptionRefusal, TakesAllOnGpus) {
  EXPECT_EQ(gpu_option_refusal(config_of({"-p", "1", "-G", "2", "--oversubscribe"}), true),
            std::nullopt);
  EXPECT_EQ(gpu_option_refusal(config_of({"-D", "4", "-V", "8", "-R", "2"}), true), std::nullopt);
}

TEST(GpuOptionRefusal, NamesTheKernelsThatWouldNeedNetworking) {
  auto all_to_all = kTestGather;
  all_to_all.name = "all_to_all";
  auto config = config_for(&all_to_all);
  config.gpu.device_implementation = 2;

  EXPECT_EQ(gpu_option_refusal(config, true), std::nullopt);
  config.gpu.device_implementation = 3;
  EXPECT_THAT(gpu_option_refusal(config, true),
              Optional(StartsWith("-D 3 of all_to_all needs GPU-initiated networking")));
}

TEST(GpuOptionRefusal, OffersNoDefaultForAFlag) {
  EXPECT_THAT(gpu_option_refusal(config_of({"--oversubscribe"}), false),
              Optional(EndsWith(": leave it out.")));
}

TEST(Graphs, CannotWaitNorBeOfTheNullStream) {
  EXPECT_THAT(parse({"-G", "1", "-z", "2"}).sentence(),
              StartsWith("-z/--blocking waits between calls"));
  EXPECT_THAT(parse({"-G", "1", "-y", "1"}).sentence(), StartsWith("-y/--stream_null"));
}

}  // namespace
}  // namespace linerate
