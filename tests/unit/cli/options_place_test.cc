// What `linerate topo place` takes, and what it refuses.
#include "cli/topo_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

using testing::HasSubstr;

TEST(PlaceWords, DescribeTheJobAndTheMachine) {
  const auto config = parse_place({"--nranks", "64", "--tp", "8", "--pp", "2", "--nodes", "8",
                                   "--platform", "dgx-h100", "--nccl", "2.27.7"});

  ASSERT_TRUE(config);
  EXPECT_EQ(config->request.nranks, 64);
  EXPECT_EQ(config->request.tp, 8);
  EXPECT_EQ(config->request.pp, 2);
  EXPECT_EQ(config->request.nnodes, 8);
  EXPECT_EQ(config->machine.source, MachineSource::platform);
  EXPECT_EQ(config->machine.version, (topo::NcclVersion{2, 27, 7}));
  EXPECT_EQ(config->format, PlaceFormat::table);
}

TEST(PlaceWords, DescribeTheModel) {
  const auto config = parse_place({"--nranks", "8", "--params", "1.5T", "--layers", "80",
                                   "--hidden", "8192", "--seq", "8192", "--micro-batch", "2",
                                   "--micro-batches", "16", "--bytes-per-element", "4"});

  ASSERT_TRUE(config);
  const auto& model = config->request.workload;
  EXPECT_DOUBLE_EQ(model.params, 1.5e12);
  EXPECT_EQ(model.layers, 80);
  EXPECT_EQ(model.hidden, 8192);
  EXPECT_EQ(model.seq, 8192);
  EXPECT_EQ(model.micro_batch, 2);
  EXPECT_EQ(model.micro_batches, 16);
  EXPECT_EQ(model.bytes_per_element, 4);
}

TEST(PlaceWords, CountParametersInPowersOfAThousand) {
  const auto params = [](const char* text) {
    return parse_place({"--nranks", "1", "--params", text})->request.workload.params;
  };

  EXPECT_DOUBLE_EQ(params("7B"), 7e9);
  EXPECT_DOUBLE_EQ(params("125m"), 125e6);
  EXPECT_DOUBLE_EQ(params("7000000000"), 7e9);
}

TEST(PlaceWords, ChooseAnOutput) {
  const auto config = parse_place(
      {"--nranks", "2", "--format", "srun", "--rankfile", "r.txt", "--hosts", "node1,node2"});

  ASSERT_TRUE(config);
  EXPECT_EQ(config->format, PlaceFormat::srun);
  EXPECT_EQ(config->rankfile, "r.txt");
  EXPECT_EQ(config->request.hosts, (std::vector<std::string>{"node1", "node2"}));
}

struct WrongPlace {
  std::vector<std::string> words;
  const char* says;
};

class WrongPlaceWords : public testing::TestWithParam<WrongPlace> {};

TEST_P(WrongPlaceWords, AreRefusedInASentence) {
  const auto config = parse_place(GetParam().words);

  ASSERT_FALSE(config);
  EXPECT_THAT(config.sentence(), HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Cli, WrongPlaceWords,
    testing::Values(
        WrongPlace{{}, "--nranks is required"}, WrongPlace{{"--nranks", "0"}, "from 1 to 262144"},
        WrongPlace{{"--nranks", "eight"}, "--nranks 'eight'"},
        WrongPlace{{"--nranks", "8", "--tp", "0"}, "--tp '0'"},
        WrongPlace{{"--nranks", "8", "--pp", "-1"}, "--pp '-1'"},
        WrongPlace{{"--nranks", "8", "--dp", "2"}, "--dp"},
        WrongPlace{{"--nranks", "8", "--format", "slurm"}, "choose one of table, json"},
        WrongPlace{{"--nranks", "8", "--params", "7G"}, "7B, 1.5T or 125M"},
        WrongPlace{{"--nranks", "8", "--params", "B"}, "--params 'B'"},
        WrongPlace{{"--nranks", "8", "--layers", "0"}, "--layers '0'"},
        WrongPlace{{"--nranks", "8", "--bytes-per-element", "3"}, "choose one of 1, 2, 4, 8"},
        WrongPlace{{"--nranks", "8", "--hosts", "a,,b"}, "'' is not the name of a host"},
        WrongPlace{{"--nranks", "8", "--hosts", "a b"}, "'a b' is not the name"},
        WrongPlace{{"--nranks", "8", "--hosts", "a,a"}, "names a twice"},
        WrongPlace{{"--nranks", "8", "--hosts", "a,b"}, "give --format rankfile"},
        WrongPlace{{"--nranks", "8", "--hosts", ""}, "--hosts is given an empty value"},
        WrongPlace{{"--nranks", "8", "--rankfile", ""},
                   "--rankfile is given an empty value: give FILE"},
        WrongPlace{{"--nranks", "8", "--platform", ""}, "--platform is given an empty value"},
        WrongPlace{{"--nranks", "8", "--root", ""}, "--root is given an empty value"},
        WrongPlace{{"--nranks", "8", "--rankfile", "-"}, "--rankfile '-'"},
        WrongPlace{{"--nranks", "8", "--nccl", "2.17"}, "--nccl: '2.17'"},
        WrongPlace{{"--nranks", "8", "--root", "a", "--hwloc", "b"},
                   "--root and --hwloc exclude each other"}));

}  // namespace
}  // namespace linerate
