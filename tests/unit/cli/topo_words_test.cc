// What `linerate topo` takes, and what it refuses.
#include "cli/topo_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

using testing::HasSubstr;

TEST(TopoWords, ShowThisMachineAsATreeUnlessAsked) {
  const auto config = parse_topo({});

  ASSERT_TRUE(config);
  EXPECT_EQ(config->source, TopoSource::this_machine);
  EXPECT_EQ(config->view, TopoView::tree);
}

TEST(TopoWords, NameAMachineAndAView) {
  const auto config = parse_topo({"--nccl-xml", "dgx.xml", "--explain", "GPU3", "mlx5_2"});

  ASSERT_TRUE(config);
  EXPECT_EQ(config->source, TopoSource::nccl_file);
  EXPECT_EQ(config->source_name, "dgx.xml");
  EXPECT_EQ(config->view, TopoView::explanation);
  EXPECT_EQ(config->ends, std::pair(std::string("GPU3"), std::string("mlx5_2")));
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
  EXPECT_EQ(config->nnodes, 16);
  EXPECT_EQ(config->version, (topo::NcclVersion{2, 27, 7}));
}

TEST(TopoWords, CallACollectiveAsTheToolsDo) {
  for (const std::string name : {"all_to_all", "alltoall_perf", "alltoall"}) {
    const auto config = parse_topo({"--predict", name});

    ASSERT_TRUE(config) << config.sentence();
    ASSERT_NE(config->sends, nullptr);
    EXPECT_EQ(config->sends->name, "all_to_all");
  }
  EXPECT_EQ(parse_topo({"--predict", "all_gather_perf"})->function, topo::Function::all_gather);
}

TEST(TopoWords, OfAPredictionHaveATypeAndAnOperator) {
  const auto config = parse_topo({"--predict", "all_reduce", "-d", "f8e4m3", "-o", "max"});

  ASSERT_TRUE(config) << config.sentence();
  EXPECT_EQ(config->sends, nullptr);
  EXPECT_EQ(config->reduced.type, DataType::f8e4m3);
  EXPECT_EQ(config->reduced.op, RedOp::max);
}

TEST(TopoWords, OfAMatrixAskForBandwidthsOfAllHosts) {
  const auto config = parse_topo({"--matrix", "--gbps", "--all-hosts"});

  ASSERT_TRUE(config) << config.sentence();
  EXPECT_TRUE(config->gbps && config->all_hosts);
}

struct Wrong {
  std::vector<std::string> words;
  const char* says;
};

class WrongTopoWords : public testing::TestWithParam<Wrong> {};

TEST_P(WrongTopoWords, AreRefusedInASentence) {
  const auto config = parse_topo(GetParam().words);

  ASSERT_FALSE(config);
  EXPECT_THAT(config.sentence(), HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Cli, WrongTopoWords,
    testing::Values(Wrong{{"--tree"}, "--tree"},
                    Wrong{{"--root", "a", "--hwloc", "b"}, "--root and --hwloc exclude each other"},
                    Wrong{{"--matrix", "--json"}, "--matrix and --json exclude each other"},
                    Wrong{{"--explain", "GPU0"}, "--explain"},
                    Wrong{{"--nccl", "2.17"}, "--nccl: '2.17'"},
                    Wrong{{"--predict", "all_to_all_v"}, "Unknown collective 'all_to_all_v'"},
                    Wrong{{"--predict", "all_reduce", "-d", "fp7"}, "-d/--datatype"},
                    Wrong{{"--predict", "all_reduce", "-o", "xor"}, "-o/--op"},
                    Wrong{{"--gbps"}, "belong to --matrix"},
                    Wrong{{"--json", "--all-hosts"}, "belong to --matrix"},
                    Wrong{{"--predict", "all_reduce", "-b", "2M", "-e", "1M"}, "-e/--maxbytes"},
                    Wrong{{"--predict", "all_reduce", "-b", "0"}, "-b/--minbytes"},
                    Wrong{{"--predict", "all_reduce", "-f", "1"}, "-f/--stepfactor"},
                    Wrong{{"--predict", "all_reduce", "--nodes", "0"}, "--nodes"},
                    Wrong{{"--predict", "all_reduce", "--nodes", "99999"}, "--nodes"}));

TEST(TopoWords, AskForHelp) {
  const auto config = parse_topo({"--help"});

  ASSERT_TRUE(config);
  EXPECT_THAT(config->help_text, HasSubstr("--export-nccl"));
}

}  // namespace
}  // namespace linerate
