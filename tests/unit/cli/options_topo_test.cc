// What `linerate topo` takes, and what it refuses.
#include "cli/topo_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(TopoWords, ShowThisMachineAsATreeUnlessAsked) {
  const auto config = parse_topo({});

  ASSERT_TRUE(config);
  EXPECT_EQ(config->machine.source, MachineSource::this_machine);
  EXPECT_EQ(config->view, TopoView::tree);
}

TEST(TopoWords, NameAMachineAndAView) {
  const auto config = parse_topo({"--nccl-xml", "dgx.xml", "--explain", "GPU3", "mlx5_2"});

  ASSERT_TRUE(config);
  EXPECT_EQ(config->machine.source, MachineSource::nccl_file);
  EXPECT_EQ(config->machine.name, "dgx.xml");
  EXPECT_EQ(config->view, TopoView::explanation);
  EXPECT_EQ(config->ends, (std::vector<std::string>{"GPU3", "mlx5_2"}));
}

TEST(TopoWords, OfAPredictionHaveARange) {
  const auto config = parse_topo({"--platform", "dgx-h100", "--predict", "all_gather", "-b", "1K",
                                  "-e", "1G", "-f", "2", "--nodes", "16", "--nccl", "2.27.7"});

  ASSERT_TRUE(config);
  EXPECT_EQ(config->view, TopoView::prediction);
  EXPECT_EQ(config->function, topo::Function::all_gather);
  EXPECT_EQ(config->min_bytes, 1024U);
  EXPECT_EQ(config->max_bytes, std::size_t{1} << 30);
  EXPECT_EQ(config->step_factor, 2);
  EXPECT_EQ(config->nnodes, std::vector{16});
  EXPECT_FALSE(config->as_json);
  EXPECT_EQ(config->machine.version, (topo::NcclVersion{2, 27, 7}));
}

TEST(TopoWords, NameAClusterWhosePredictionsMayBeJson) {
  const auto config = parse_topo({"--cluster", "west.yaml", "--predict", "all_reduce", "--json"});

  ASSERT_TRUE(config);
  EXPECT_EQ(config->machine.source, MachineSource::cluster);
  EXPECT_EQ(config->view, TopoView::prediction);
  EXPECT_TRUE(config->as_json);
  EXPECT_TRUE(config->nnodes.empty());
}

TEST(TopoWords, ListNumbersOfNodesOrDoubleThem) {
  const auto counts = [](const char* text) {
    return parse_topo({"--predict", "all_reduce", "--nodes", text})->nnodes;
  };

  EXPECT_EQ(counts("8,1,2"), (std::vector{1, 2, 8}));
  EXPECT_EQ(counts("1:8"), (std::vector{1, 2, 4, 8}));
  EXPECT_EQ(counts("3:20"), (std::vector{3, 6, 12, 20}));
  EXPECT_EQ(counts("2:4,4,3"), (std::vector{2, 3, 4}));
  EXPECT_EQ(counts("5:5"), std::vector{5});
}

TEST(TopoWords, MeasureAndPrintItAsJsonToo) {
  const auto table = parse_topo({"--measure"});
  const auto json = parse_topo({"--measure", "--json"});

  ASSERT_TRUE(table);
  ASSERT_TRUE(json);
  EXPECT_EQ(table->view, TopoView::measurement);
  EXPECT_FALSE(table->as_json);
  EXPECT_EQ(json->view, TopoView::measurement);
  EXPECT_TRUE(json->as_json);
  EXPECT_THAT(parse_topo({"--measure", "--root", "/saved"}).sentence(),
              HasSubstr("measures this machine"));
  EXPECT_THAT(parse_topo({"--measure", "--dot"}).sentence(), HasSubstr("exclude each other"));
}

TEST(TopoWords, CallACollectiveAsTheToolsDo) {
  for (const std::string name : {"all_to_all", "alltoall_perf", "alltoall"}) {
    const auto config = parse_topo({"--predict", name});

    ASSERT_TRUE(config) << config.sentence();
    ASSERT_NE(config->p2p_collective, nullptr);
    EXPECT_EQ(config->p2p_collective->name, "all_to_all");
  }
  EXPECT_EQ(parse_topo({"--predict", "all_gather_perf"})->function, topo::Function::all_gather);
}

TEST(TopoWords, OfAPredictionHaveATypeAndAnOperator) {
  const auto config = parse_topo({"--predict", "all_reduce", "-d", "f8e4m3", "-o", "max"});

  ASSERT_TRUE(config) << config.sentence();
  EXPECT_EQ(config->p2p_collective, nullptr);
  EXPECT_EQ(config->reduced.type, DataType::f8e4m3);
  EXPECT_EQ(config->reduced.op, RedOp::max);
}

TEST(TopoWords, OfAMatrixAskForBandwidthsOfAllHosts) {
  const auto config = parse_topo({"--matrix", "--gbps", "--all-hosts"});

  ASSERT_TRUE(config) << config.sentence();
  EXPECT_TRUE(config->gbps && config->all_hosts);
}

TEST(TopoWords, OfAFileAndAPlatformAreOneMachineInEitherOrder) {
  for (const auto& words : {std::vector<std::string>{"--nccl-xml", "a.xml", "--platform", "b"},
                            {"--platform", "b", "--nccl-xml", "a.xml"}}) {
    const auto config = parse_topo(words);

    ASSERT_TRUE(config) << config.sentence();
    EXPECT_EQ(config->machine.source, MachineSource::nccl_file);
    EXPECT_EQ(config->machine.name, "a.xml");
    EXPECT_EQ(config->machine.platform, "b");
  }
}

TEST(TopoWords, OfSeveralFilesAreForLint) {
  const auto config = parse_topo({"--nccl-xml", "a", "b", "c", "--lint", "--json"});

  ASSERT_TRUE(config) << config.sentence();
  EXPECT_EQ(config->machine.name, "a");
  EXPECT_THAT(config->machine.more, testing::ElementsAre("b", "c"));
  EXPECT_TRUE(config->view == TopoView::lint && config->as_json);
}

TEST(TopoWords, NameOneDumpOfChannelsOrTwo) {
  EXPECT_EQ(parse_topo({"--graphs", "a", "b"})->graph_files, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(parse_topo({"--graphs", "a", "--platform", "dgx-h100"})->view, TopoView::graphs);
}

TEST(TopoWords, OfATableHaveItsSize) {
  EXPECT_EQ(parse_topo({"--predict", "all_reduce", "--table", "1M"})->table_bytes, 1U << 20);
}

struct WrongTopoLine {
  std::vector<std::string> words;
  const char* says;
};

class WrongTopoWords : public testing::TestWithParam<WrongTopoLine> {};

TEST_P(WrongTopoWords, AreRefusedInASentence) {
  const auto config = parse_topo(GetParam().words);

  ASSERT_FALSE(config);
  EXPECT_THAT(config.sentence(), HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Cli, WrongTopoWords,
    testing::Values(
        WrongTopoLine{{"--tree"}, "Unknown option '--tree'"},
        WrongTopoLine{{"--matrx=1", "more"}, "'--matrx': did you mean '--matrix'?"},
        WrongTopoLine{{"plce", "--nranks", "2"}, "no 'plce'. Did you mean 'place'?"},
        WrongTopoLine{{"--platform", "dgx-h100", "place", "--nranks", "8"}, "'place' goes first"},
        WrongTopoLine{{"--root", "a", "--hwloc", "b"}, "--root and --hwloc exclude each other"},
        WrongTopoLine{{"--matrix", "--json"}, "--matrix and --json exclude each other"},
        WrongTopoLine{{"--explain", "GPU0"}, "--explain is between two devices"},
        WrongTopoLine{{"--explain", "GPU0", "GPU1", "GPU2"}, "--explain is between two devices"},
        WrongTopoLine{{"--nccl", "2.17"}, "--nccl: '2.17'"},
        WrongTopoLine{{"--predict", "all_to_all_v"}, "all_to_all_v moves what its traffic says"},
        WrongTopoLine{{"--predict", "all_reduce", "-d", "fp7"}, "-d/--datatype"},
        WrongTopoLine{{"--predict", "all_reduce", "-o", "xor"}, "-o/--op"},
        WrongTopoLine{{"--gbps"}, "belongs to --matrix"},
        WrongTopoLine{{"--json", "--all-hosts"}, "belongs to --matrix"},
        WrongTopoLine{{"--predict", "all_reduce", "-b", "2M", "-e", "1M"}, "-e/--maxbytes"},
        WrongTopoLine{{"--predict", "all_reduce", "-b", "0"}, "-b/--minbytes"},
        WrongTopoLine{{"--predict", "all_reduce", "-f", "1"}, "-f/--stepfactor"},
        WrongTopoLine{{"--predict", "all_reduce", "--nodes", "0"}, "--nodes"},
        WrongTopoLine{{"--predict", "all_reduce", "--nodes", "99999"}, "--nodes"},
        WrongTopoLine{{"--predict", "all_reduce", "--nodes", "1,,2"}, "'1,,2' has an empty part"},
        WrongTopoLine{{"--predict", "all_reduce", "--nodes", "1:2:4"}, "at '1:2:4': give whole"},
        WrongTopoLine{{"--predict", "all_reduce", "--nodes", "8:1"}, "at '8:1'"},
        WrongTopoLine{{"--cluster", "a", "--platform", "b"}, "exclude each other"},
        WrongTopoLine{{"--cluster", "a", "--nccl-xml", "b"}, "exclude each other"},
        WrongTopoLine{{"--matrix", "--nccl-xml", "a", "b"}, "--nccl-xml names 2 files"},
        WrongTopoLine{{"--nvlink-domain", "0"}, "--nvlink-domain"},
        WrongTopoLine{{"--nvlink-domain", "145"}, "--nvlink-domain"},
        WrongTopoLine{{"--cluster", "a", "--nvlink-domain", "2"}, "give nvlink_domain with the"},
        WrongTopoLine{{"--measure", "--nvlink-domain", "2"}, "leave the other one out"},
        WrongTopoLine{{"--predict", "all_reduce", "--matrix", "--json"}, "exclude each"}));

INSTANTIATE_TEST_SUITE_P(
    Useless, WrongTopoWords,
    testing::Values(
        WrongTopoLine{{"-b", "8"}, "--minbytes belongs to --predict COLLECTIVE"},
        WrongTopoLine{{"--platform", "dgx-h100", "-d", "half"}, "--datatype belongs to --predict"},
        WrongTopoLine{{"--matrix", "-e", "8"}, "--maxbytes belongs to --predict"},
        WrongTopoLine{{"--lint", "-f", "2"}, "--stepfactor belongs to --predict"},
        WrongTopoLine{{"--json", "-o", "max"}, "--op belongs to --predict"},
        WrongTopoLine{{"--nodes", "2"}, "--nodes belongs to --predict"},
        WrongTopoLine{{"--predict", "broadcast", "-o", "max"}, "broadcast reduces nothing"},
        WrongTopoLine{{"--predict", "alltoall", "-o", "sum"}, "all_to_all reduces nothing"},
        WrongTopoLine{{"--lint", "--nccl", "2.20"}, "--nccl makes no difference to --lint"},
        WrongTopoLine{{"--table", "1M"}, "--table belongs to --predict"},
        WrongTopoLine{{"--predict", "alltoall", "--table", "1M"}, "makes all_to_all of sends"},
        WrongTopoLine{{"--predict", "reduce", "--table", "1M", "--nodes", "1,2"}, "--nodes one"},
        WrongTopoLine{{"--predict", "reduce", "--table", "1M", "-e", "8"}, "leave --maxbytes out"},
        WrongTopoLine{{"--graphs", "a", "--graphs", "b", "--graphs", "c"}, "give one or two"},
        WrongTopoLine{{"--graphs", "a", "b", "--platform", "dgx-h100"}, "leave --platform out"},
        WrongTopoLine{{"--graphs", "a", "--cluster", "b"}, "is about one machine"},
        WrongTopoLine{{"--graphs", "a", "--nccl", "2.20"}, "makes no difference to --graphs"},
        WrongTopoLine{{"--graphs", "a", "--lint"}, "exclude each other"},
        WrongTopoLine{{"--platform", "dgx-h100", "--list-platforms"}, "leave the machine out"}));

TEST(TopoWords, AreNeverEmpty) {
  for (const std::string option : {"--cluster", "--platform", "--nccl-xml", "--hwloc", "--root",
                                   "--svg", "--export-nccl", "--explain", "--predict", "--nccl"})
    EXPECT_THAT(parse_topo({option, ""}).sentence(),
                HasSubstr(option + " is given an empty value: give "));
  for (const std::string option : {"--nodes", "-b"})
    EXPECT_THAT(parse_topo({"--predict", "all_reduce", option, ""}).sentence(),
                AllOf(HasSubstr(option), HasSubstr(" is given an empty value: give ")));
}

TEST(TopoWords, DoNotTakeTheNextOptionForAValue) {
  EXPECT_THAT(parse_topo({"--svg=", "--dot"}).sentence(), HasSubstr("'--svg=' has no value"));
  EXPECT_THAT(parse_topo({"--svg", "--json"}).sentence(),
              HasSubstr("--svg is followed by the option --json: give FILE"));
  EXPECT_THAT(parse_topo({"--svg", "-h"}).sentence(), HasSubstr("--svg is followed by the option"));
  EXPECT_THAT(parse_topo({"--predict", "-b", "8"}).sentence(),
              HasSubstr("--predict is followed by the option -b"));
  EXPECT_TRUE(parse_topo({"--svg", "./--json"}));
}

TEST(TopoWords, OfAPredictionTakeATypeWhereNothingIsReduced) {
  EXPECT_TRUE(parse_topo({"--predict", "all_gather", "-d", "half"}));
}

TEST(TopoWords, TakeTheLastOfSeveralValues) {
  EXPECT_EQ(parse_topo({"--root", "a", "--root=b"})->machine.name, "b");
}

}  // namespace
}  // namespace linerate
