// From sizes that were confirmed to rules, and from rules to what the libraries read.
#include "tune/files.h"

#include "backends/nccl/tuner_rules/rules.h"
#include "unit/tune/made_up.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::tuning {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr Paths kPaths() { return {.folder = "/etc/x", .plugin = "/lib/p.so"}; }

Kept kept(const Arm& arm, std::size_t bytes) {
  return {arm, {.cell = {arm.collective, bytes}, .verdict = stats::Difference::faster}};
}

std::vector<Cell> cells(const Collective& collective, const std::vector<std::size_t>& sizes) {
  std::vector<Cell> all;
  for (const auto bytes : sizes) all.push_back({&collective, bytes});
  return all;
}

TEST(RulesOfSizes, JoinNeighboursAndEndBelowTheNextSize) {
  const auto a = call_arm("a"), b = call_arm("b");

  const auto rules = rules_of({kept(a, 2), kept(a, 4), kept(b, 8), kept(a, 32), kept(a, 64)},
                              cells(all_reduce(), {1, 2, 4, 8, 16, 32, 64}));

  ASSERT_THAT(rules, SizeIs(3));
  const auto is = [&](std::size_t i, const Arm& arm, std::size_t from, std::size_t to) {
    EXPECT_EQ(rules[i].arm.words, arm.words);
    EXPECT_EQ(rules[i].min_bytes, from);
    EXPECT_EQ(rules[i].max_bytes, to);
  };
  is(0, a, 2, 7);
  is(1, b, 8, 15);
  is(2, a, 32, 64);
}

TEST(RulesOfSizes, EndWithTheirCollective) {
  auto measured = cells(all_reduce(), {1, 2});
  for (const auto& cell : cells(all_gather(), {1, 2})) measured.push_back(cell);

  const auto rules =
      rules_of({kept(call_arm("a"), 2), kept(call_arm("a", all_gather()), 1)}, measured);

  ASSERT_THAT(rules, SizeIs(2));
  for (const auto& rule : rules) {
    EXPECT_EQ(rule.min_bytes, rule.collective == &all_reduce() ? 2u : 1u);
    EXPECT_EQ(rule.max_bytes, rule.collective == &all_reduce() ? 2u : 1u);
  }
}

Tuned tuned_nccl() {
  auto tree = call_arm("Tree with LL"), channels = call_arm("8 channels", all_gather());
  tree.algorithm = "Tree";
  tree.protocol = "LL";
  channels.channels = 8;
  return {.library = Library::nccl,
          .nodes = 2,
          .ranks = 16,
          .process = {{"NCCL_BUFFSIZE", "8388608"}},
          .rules = {{&all_reduce(), 1024, 65535, tree}, {&all_gather(), 8, 8, channels}},
          .origin = "linerate tune nccl"};
}

TEST(FilesOfNccl, HoldTheRulesAndWhereTheyAre) {
  const auto files = files_of(tuned_nccl(), kPaths());

  ASSERT_THAT(files, SizeIs(3));
  EXPECT_EQ(files[0].name, "nccl.conf");
  EXPECT_EQ(files[0].text,
            "# linerate tune nccl\nLINERATE_NCCL_TUNER=/etc/x/tuner.csv\n"
            "NCCL_BUFFSIZE=8388608\nNCCL_TUNER_PLUGIN=/lib/p.so\n");
  EXPECT_EQ(files[1].text,
            "# linerate tune nccl\nexport LINERATE_NCCL_TUNER=/etc/x/tuner.csv\n"
            "export NCCL_BUFFSIZE=8388608\nexport NCCL_TUNER_PLUGIN=/lib/p.so\n");
  EXPECT_EQ(files[2].name, "tuner.csv");
  EXPECT_THAT(files[2].text, HasSubstr("\nall_reduce,1024,65535,2,16,Tree,LL,*\n"
                                       "all_gather,8,8,2,16,*,*,8\n"));
}

TEST(FilesOfNccl, AreReadByThePlugin) {
  const auto read = nccl::tuner::read_rules(files_of(tuned_nccl(), kPaths())[2].text);

  EXPECT_EQ(read.problem, "");
  EXPECT_THAT(read.rules, SizeIs(2));
}

TEST(FilesOfNccl, WithoutRulesNameNoPlugin) {
  auto tuned = tuned_nccl();
  tuned.rules.clear();

  EXPECT_THAT(files_of(tuned, kPaths()), SizeIs(2));
  EXPECT_EQ(variables_of(tuned, kPaths()), (Variables{{"NCCL_BUFFSIZE", "8388608"}}));
}

TEST(FilesOfOpenMpi, LeaveOtherSizesAndNumbersOfRanksToIt) {
  auto ring = call_arm("4 ring"), chain = call_arm("2 chain", *find_collective("broadcast"));
  ring.number = 4;
  chain.number = 2;
  chain.segment_bytes = 65536;
  auto gather = call_arm("4 ring", all_gather());
  gather.number = 4;
  const Tuned tuned{.library = Library::mpi,
                    .ranks = 4,
                    .process = {{"OMPI_MCA_btl_vader_eager_limit", "16384"}},
                    .rules = {{&all_reduce(), 1024, 4095, ring},
                              {&all_reduce(), 65536, 1048576, ring},
                              {chain.collective, 8, 1023, chain}},
                    .origin = "linerate tune mpi"};

  const auto files = files_of(tuned, kPaths());

  ASSERT_THAT(files, SizeIs(3));
  EXPECT_EQ(files[0].text,
            "# linerate tune mpi\nbtl_vader_eager_limit = 16384\n"
            "coll_tuned_dynamic_rules_filename = /etc/x/coll_tuned_rules.conf\n"
            "coll_tuned_use_dynamic_rules = 1\n");
  EXPECT_THAT(files[1].text, HasSubstr("export OMPI_MCA_btl_vader_eager_limit=16384\n"));
  EXPECT_EQ(files[2].text,
            "# linerate tune mpi\n2 # collectives\n"
            "2 # all_reduce\n3 # numbers of ranks\n"
            "0 1\n0 0 0 0\n"
            "4 5 # sizes: from, algorithm, fan-out, segment\n"
            "0 0 0 0\n1024 4 4 0\n4096 0 0 0\n65536 4 4 0\n1048577 0 0 0\n"
            "5 1\n0 0 0 0\n"
            "7 # broadcast\n3 # numbers of ranks\n"
            "0 1\n0 0 0 0\n"
            "4 3 # sizes: from, algorithm, fan-out, segment\n"
            "0 0 0 0\n8 2 4 65536\n1024 0 0 0\n"
            "5 1\n0 0 0 0\n");
}

TEST(FilesOfGloo, AreExports) {
  const auto files = files_of({.library = Library::gloo,
                               .process = {{"GLOO_SOCKET_IFNAME", "eth 0"}},
                               .origin = "linerate tune gloo"},
                              kPaths());

  ASSERT_THAT(files, SizeIs(1));
  EXPECT_EQ(files[0].text, "# linerate tune gloo\nexport GLOO_SOCKET_IFNAME='eth 0'\n");
}

TEST(GainText, IsByTheTimesAndTurnsTheInterval) {
  EXPECT_EQ(gain_text({.ratio = 0.8, .low = 0.75, .high = 1}), "25.0 % [0.0, 33.3]");
  EXPECT_THAT(gain_text({.ratio = 0.8}), HasSubstr("too few runs"));
}

}  // namespace
}  // namespace linerate::tuning
