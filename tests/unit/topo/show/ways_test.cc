// Every algorithm and protocol at one size: a time, or a reason why there is none.
#include "topo/show/ways.h"

#include "support/sizes.h"
#include "topo/cluster/platforms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

namespace linerate::topo {
namespace {

using testing::HasSubstr;

Predictor predictor_of(std::string_view platform, int nnodes, const NcclVersion& version = {},
                       const TunerSettings& asked = {}) {
  return Predictor(job_of(build_graph(*built_in_platform(platform), version), nnodes, asked));
}

TEST(Ways, HaveEitherATimeOrAReason) {
  for (const auto* platform : {"dgx-a100", "dgx-h100", "dgx-b200", "pcie-8xl40s", "aws-p4d"})
    for (const auto& version : {NcclVersion{2, 18, 6}, NcclVersion{2, 23, 4}, NcclVersion{}})
      for (const int nnodes : {1, 2, 4}) {
        const auto predictor = predictor_of(platform, nnodes, version);
        for (const auto function : kAllFunctions)
          for (const auto& way : ways_of(predictor, function, kMiB, {.op = RedOp::avg}))
            EXPECT_EQ(way.prediction.has_value(), way.off.empty())
                << platform << " x " << nnodes << ' ' << text_of(version) << ' '
                << name_of(function) << ' ' << name_of(way.scheme.algorithm) << ' '
                << name_of(way.scheme.protocol) << ": " << way.off;
      }
}

// NVSwitches do not average: 2.23 goes on with rings.
TEST(Ways, OfARingThatIsTheLastResortAreTaken) {
  TunerSettings asked;
  for (auto& of_function : asked.algorithms) of_function = {false, false, false, true, false};
  const auto ways = ways_of(predictor_of("dgx-h100", 1, {2, 23, 4}, asked), Function::all_reduce,
                            kMiB, {.op = RedOp::avg});

  const auto taken = std::ranges::find_if(ways, &Way::taken);
  ASSERT_NE(taken, ways.end());
  EXPECT_EQ(taken->scheme.algorithm, Algorithm::ring);
  for (const auto& way : ways) EXPECT_EQ(way.prediction.has_value(), way.off.empty());
}

TEST(Ways, HoldOneThatIsTakenAndThatIsTheFastest) {
  const auto ways = ways_of(predictor_of("dgx-h100", 2), Function::all_reduce, kMiB);

  ASSERT_EQ(std::ranges::count_if(ways, &Way::taken), 1);
  const auto& taken = *std::ranges::find_if(ways, &Way::taken);
  for (const auto& way : ways)
    if (way.prediction) {
      EXPECT_LE(taken.prediction->time_us, way.prediction->time_us);
    }
}

std::string table_of(std::string_view platform, int nnodes, Function function = {},
                     const NcclVersion& version = {}) {
  const auto predictor = predictor_of(platform, nnodes, version);
  return ways_table(ways_of(predictor, function, kMiB), {predictor.job(), function, kMiB});
}

TEST(Ways, TellWhyOthersAreOff) {
  EXPECT_THAT(table_of("dgx-h100", 1, Function::all_reduce),
              testing::AllOf(HasSubstr("NVLSTree Simple: is for several nodes"),
                             HasSubstr("NVLS LL, NVLS LL128, NVLSTree LL, NVLSTree LL128: there is "
                                       "the protocol Simple only"),
                             HasSubstr("PAT: not for all_reduce")));
  EXPECT_THAT(table_of("dgx-h100", 2, Function::all_reduce),
              HasSubstr("NVLS Simple: between nodes it needs reductions in the network (CollNet)"));
  EXPECT_THAT(table_of("dgx-a100", 1, Function::all_reduce),
              HasSubstr("needs GPUs of compute capability 9.0 or newer"));
  EXPECT_THAT(table_of("pcie-8xl40s", 1, Function::all_reduce),
              HasSubstr("Tree LL128, Ring LL128: needs NVLink between GPUs, and the paths are "));
  EXPECT_THAT(table_of("dgx-b200", 1, Function::all_reduce, {2, 21, 5}),
              HasSubstr("NCCL 2.21.5 does not use it on compute capability 10.0"));
}

TEST(Ways, NameTheVariableThatSwitchesThemOff) {
  TunerSettings asked;
  asked.channels.nvls = false;
  asked.algorithms[index_of(Function::all_reduce)][index_of(Algorithm::tree)] = false;
  asked.given = {{"NCCL_ALGO", "^Tree"}, {"NCCL_NVLS_ENABLE", "0"}};
  const auto predictor = predictor_of("dgx-h100", 2, {}, asked);

  EXPECT_EQ(why_unused(predictor, {Function::all_reduce, Algorithm::tree, Protocol::ll}),
            "NCCL_ALGO=^Tree");
  EXPECT_EQ(why_unused(predictor, {Function::all_reduce, Algorithm::nvls_tree, Protocol::simple}),
            "NCCL_NVLS_ENABLE=0");
  EXPECT_EQ(asked_text(asked), "as the environment asks: NCCL_ALGO=^Tree NCCL_NVLS_ENABLE=0\n");
}

TEST(Ways, AreJsonForPrograms) {
  const auto predictor = predictor_of("dgx-h100", 2);
  const auto ways = ways_of(predictor, Function::all_reduce, kMiB);

  const auto parsed =
      nlohmann::json::parse(ways_json(ways, {predictor.job(), Function::all_reduce, kMiB}));

  EXPECT_EQ(parsed["kind"], "prediction_ways");
  EXPECT_EQ(parsed["rows"].size(), kAlgorithms * kProtocols);
  EXPECT_EQ(parsed["nranks"], 16);
  for (const auto& row : parsed["rows"])
    EXPECT_NE(row.contains("ncclmodel_time_us"), row.contains("off"));
}

}  // namespace
}  // namespace linerate::topo
