// NCCL's variables as its versions read them, and what they do to predictions.
#include "topo/model/tuner_settings.h"

#include "support/sizes.h"
#include "topo/cluster/platforms.h"
#include "topo/model/job.h"
#include "topo/model/predict.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace linerate::topo {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Variables = std::map<std::string, std::string, std::less<>>;
constexpr NcclVersion k218{2, 18, 6}, k221{2, 21, 5}, k223{2, 23, 4}, k228{2, 28, 9};

Result<TunerSettings> read(const Variables& variables, const NcclVersion& version = k228) {
  return read_tuner_settings(Environment(variables), version);
}

std::string refusal(const Variables& variables, const NcclVersion& version = k228) {
  const auto settings = read(variables, version);
  return settings ? "" : settings.sentence();
}

TEST(TunerSettings, OfAnEmptyEnvironmentAllowEverything) {
  const auto settings = read({});

  ASSERT_TRUE(settings);
  for (const auto function : kAllFunctions) {
    for (const auto algorithm : kAllAlgorithms) EXPECT_TRUE(settings->allows(function, algorithm));
    EXPECT_EQ(settings->use_of(function, Protocol::ll128), ProtocolUse::where_safe);
  }
  EXPECT_THAT(settings->given, IsEmpty());
}

TEST(TunerSettings, OfAListAllowWhatItNamesInEitherCase) {
  const auto settings = read({{"NCCL_ALGO", "ring,nvlstree"}, {"NCCL_PROTO", "ll128"}});

  ASSERT_TRUE(settings);
  EXPECT_TRUE(settings->allows(Function::reduce, Algorithm::ring));
  EXPECT_TRUE(settings->allows(Function::all_reduce, Algorithm::nvls_tree));
  EXPECT_FALSE(settings->allows(Function::all_reduce, Algorithm::tree));
  EXPECT_EQ(settings->use_of(Function::all_reduce, Protocol::ll128), ProtocolUse::on);
  EXPECT_EQ(settings->use_of(Function::all_reduce, Protocol::ll), ProtocolUse::off);
}

// LL128 is then no longer looked at for safety.
TEST(TunerSettings, OfAnInverseListSwitchAllOthersOn) {
  const auto settings = read({{"NCCL_PROTO", "^LL"}});

  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->use_of(Function::broadcast, Protocol::ll), ProtocolUse::off);
  EXPECT_EQ(settings->use_of(Function::broadcast, Protocol::ll128), ProtocolUse::on);
  EXPECT_EQ(settings->use_of(Function::broadcast, Protocol::simple), ProtocolUse::on);
}

TEST(TunerSettings, OfListsByFunctionTakeTheLastOne) {
  const auto settings = read({{"NCCL_ALGO", "ring;AllReduce:^ring;broadcast:tree"}});

  ASSERT_TRUE(settings);
  EXPECT_TRUE(settings->allows(Function::all_gather, Algorithm::ring));
  EXPECT_FALSE(settings->allows(Function::all_gather, Algorithm::tree));
  EXPECT_FALSE(settings->allows(Function::all_reduce, Algorithm::ring));
  EXPECT_TRUE(settings->allows(Function::all_reduce, Algorithm::nvls));
  EXPECT_TRUE(settings->allows(Function::broadcast, Algorithm::tree));
}

TEST(TunerSettings, RefuseFrom224WhatNcclEndsWithAnErrorOn) {
  EXPECT_THAT(refusal({{"NCCL_ALGO", "Rings"}}),
              AllOf(HasSubstr("NCCL_ALGO=Rings: NCCL 2.28.9 ends with an error"),
                    HasSubstr("Did you mean 'Ring'?")));
  EXPECT_THAT(refusal({{"NCCL_ALGO", "Ring, Tree"}}), HasSubstr("' Tree'"));
  EXPECT_THAT(refusal({{"NCCL_PROTO", "alltoall:LL"}}), HasSubstr("function 'alltoall'"));
  EXPECT_THAT(refusal({{"NCCL_PROTO", "LL;Simple"}}), HasSubstr("function in front"));
  EXPECT_THAT(refusal({{"NCCL_PROTO", ";LL"}}), HasSubstr("function in front"));
}

TEST(TunerSettings, SkipUnknownNamesUpTo223) {
  const auto settings = read({{"NCCL_ALGO", "Rings,tree"}}, k223);

  ASSERT_TRUE(settings);
  EXPECT_TRUE(settings->allows(Function::all_reduce, Algorithm::tree));
  EXPECT_FALSE(settings->allows(Function::all_reduce, Algorithm::ring));
}

TEST(TunerSettings, ReadNumbersAsCDoes) {
  const auto settings = read({{"NCCL_MIN_CTAS", "0x10"},
                              {"NCCL_MAX_CTAS", "24 of them"},
                              {"NCCL_MIN_NCHANNELS", ""},
                              {"NCCL_MAX_NRINGS", "12"},
                              {"NCCL_NVLS_ENABLE", "off"}});

  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->channels,
            (ChannelSettings{.nvls = false, .min_ctas = 16, .max_ctas = 24, .max_channels = 12}));
}

TEST(TunerSettings, LimitTheMinimumByTheMaximum) {
  const auto settings = read({{"NCCL_MIN_CTAS", "100"}, {"NCCL_MAX_CTAS", "8"}});

  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->channels.min_ctas, 8);
  EXPECT_THAT(refusal({{"NCCL_MAX_CTAS", "0"}}, k223), HasSubstr("no channel left"));
  EXPECT_EQ(refusal({{"NCCL_MAX_CTAS", "0"}}), "");
}

TEST(TunerSettings, NameWhatPredictionsLeaveOut) {
  const Environment environment({{"NCCL_P2P_LEVEL", "SYS"},
                                 {"NCCL_CROSS_NIC", "0"},
                                 {"NCCL_NCHANNELS_PER_NET_PEER", "4"},
                                 {"NCCL_DEBUG", "INFO"}});

  EXPECT_THAT(unmodelled_settings(environment),
              ElementsAre(AllOf(HasSubstr("NCCL_P2P_LEVEL, NCCL_CROSS_NIC are set"),
                                HasSubstr("other paths")),
                          AllOf(HasSubstr("NCCL_NCHANNELS_PER_NET_PEER is set"),
                                HasSubstr("numbers of channels"))));
  EXPECT_THAT(unmodelled_settings(Environment()), IsEmpty());
}

JobShape job(std::string_view platform, int nnodes, const NcclVersion& version,
             const Variables& variables) {
  return job_of(build_graph(*built_in_platform(platform), version), nnodes,
                *read(variables, version));
}

std::string choice(const JobShape& of, Function function = Function::all_reduce,
                   const Reduced& what = {}) {
  const Predictor predictor(of);
  if (!predictor.can_do(function, what)) return "nothing";
  const auto made = predictor.predict(function, kGiB, what);
  return fmt::format("{}/{}", name_of(made.algorithm), name_of(made.protocol));
}

TEST(AskedJobs, DoWhatListsSay) {
  EXPECT_EQ(choice(job("dgx-h100", 2, k228, {})), "NVLSTree/Simple");
  EXPECT_EQ(choice(job("dgx-h100", 2, k228, {{"NCCL_ALGO", "Ring"}})), "Ring/Simple");
  EXPECT_EQ(choice(job("dgx-h100", 2, k228, {{"NCCL_PROTO", "LL"}})), "Ring/LL");
  EXPECT_EQ(choice(job("dgx-h100", 1, k228, {{"NCCL_NVLS_ENABLE", "0"}})), "Ring/Simple");
  EXPECT_EQ(choice(job("dgx-h100", 1, k228, {{"NCCL_ALGO", "Tree"}}), Function::all_gather),
            "nothing");
}

TEST(AskedJobs, FallBackToRingsUpTo223) {
  const Variables tree{{"NCCL_ALGO", "Tree"}}, collnet{{"NCCL_ALGO", "CollNetDirect"}};

  EXPECT_EQ(choice(job("dgx-h100", 1, k218, tree), Function::all_gather), "Ring/Simple");
  EXPECT_EQ(choice(job("dgx-h100", 1, k223, tree), Function::all_gather), "Ring/Simple");
  EXPECT_EQ(choice(job("dgx-h100", 1, k221, collnet)), "Ring/Simple");
  EXPECT_EQ(choice(job("dgx-h100", 1, k228, collnet)), "nothing");
}

// NVSwitches do not average, and so NCCL_ALGO=NVLS leaves avg nothing.
TEST(AskedJobs, FallBackToRingsForCallsThatListsLeaveNothing) {
  const Variables nvls{{"NCCL_ALGO", "NVLS"}}, ll{{"NCCL_ALGO", "NVLS"}, {"NCCL_PROTO", "LL"}};
  const auto made = [&](const NcclVersion& version, const Variables& variables, RedOp op) {
    return choice(job("dgx-h100", 1, version, variables), Function::all_reduce, {.op = op});
  };

  EXPECT_EQ(made(k221, nvls, RedOp::avg), "Ring/Simple");
  EXPECT_EQ(made(k223, nvls, RedOp::avg), "Ring/Simple");
  EXPECT_EQ(made(k223, nvls, RedOp::sum), "NVLS/Simple");
  EXPECT_EQ(made(k221, ll, RedOp::avg), "Ring/Simple");  // whatever the protocols
  EXPECT_EQ(made(k223, ll, RedOp::avg), "Ring/LL");
  EXPECT_EQ(made(k218, nvls, RedOp::avg), "nothing");
  EXPECT_EQ(made(k228, nvls, RedOp::avg), "nothing");
}

// LL128 of GPUs without NVLink is unsafe: NCCL uses it where it is told to.
TEST(AskedJobs, UseLl128WhereItIsNamed) {
  const Scheme ll128{Function::all_reduce, Algorithm::ring, Protocol::ll128};

  EXPECT_FALSE(Predictor(job("pcie-8xl40s", 1, k228, {})).time_us(ll128, kMiB));
  EXPECT_TRUE(
      Predictor(job("pcie-8xl40s", 1, k228, {{"NCCL_PROTO", "LL128"}})).time_us(ll128, kMiB));
}

TEST(Ll128, IsOffOnGpusThatAVersionDoesNotKnow) {
  const Scheme ll128{Function::all_gather, Algorithm::ring, Protocol::ll128};
  const auto has_it = [&](const NcclVersion& version) {
    return Predictor(job("dgx-b200", 2, version, {})).time_us(ll128, kMiB).has_value();
  };

  EXPECT_FALSE(has_it(k218));
  EXPECT_FALSE(has_it({2, 24, 3}));
  EXPECT_TRUE(has_it({2, 25, 1}));
  EXPECT_TRUE(has_it(k228));
}

TEST(AskedJobs, RunOnAsManyChannelsAsAskedFor) {
  const auto asked = job("dgx-h100", 2, k228, {{"NCCL_MIN_CTAS", "32"}});

  EXPECT_EQ(asked.channels.coll_channels, 32);
  EXPECT_EQ(asked.channels.nvls_channels, 32);
  EXPECT_EQ(job("dgx-h100", 2, k228, {}).channels.coll_channels, 16);
}

}  // namespace
}  // namespace linerate::topo
