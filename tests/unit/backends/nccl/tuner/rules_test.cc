// What a file of rules may say, and what is refused of it.
#include "backends/nccl/tuner_rules/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace linerate::nccl::tuner {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string file(const std::string& lines) { return std::string(kHeading) + '\n' + lines; }

Rules read(const std::string& lines) {
  auto rules = read_rules(file(lines));
  EXPECT_EQ(rules.problem, "");
  return rules;
}

TEST(TunerRules, SayWhatTheirLineSays) {
  const auto rules = read("all_reduce,65536,1048575,1,8,Tree,LL,4\n").rules;

  ASSERT_THAT(rules, SizeIs(1));
  EXPECT_EQ(collective_name(rules[0].collective), "all_reduce");
  EXPECT_EQ(rules[0].min_bytes, 65536u);
  EXPECT_EQ(rules[0].max_bytes, 1048575u);
  EXPECT_EQ(rules[0].nodes, 1);
  EXPECT_EQ(rules[0].ranks, 8);
  EXPECT_EQ(algorithm_name(rules[0].algorithm), "Tree");
  EXPECT_EQ(protocol_name(rules[0].protocol), "LL");
  EXPECT_EQ(rules[0].channels, 4);
  EXPECT_EQ(rules[0].line, 2u);
}

TEST(TunerRules, ComeBackAsTheyWereWritten) {
  for (const std::string line :
       {"all_reduce,65536,1048575,1,8,Tree,LL,4", "all_gather,0,*,*,*,Ring,Simple,*",
        "broadcast,8,8,2,16,*,*,64", "reduce_scatter,0,*,4,*,NVLS,Simple,*"})
    EXPECT_EQ(rule_text(read(line + "\n").rules.at(0)), line);
}

TEST(TunerRules, PassOverCommentsEmptyLinesAndCarriageReturns) {
  const auto rules = read_rules("# by hand\r\n\r\n" + std::string(kHeading) + "\r\n# \n" +
                                "all_gather,*,*,*,*,Ring,LL,*\r\n");

  EXPECT_EQ(rules.problem, "");
  ASSERT_THAT(rules.rules, SizeIs(1));
  EXPECT_EQ(rules.rules[0].line, 5u);
}

TEST(TunerRules, FirstOneThatFitsCounts) {
  const auto rules = read(
                         "all_reduce,100,200,1,8,Tree,LL,*\n"
                         "all_reduce,0,*,1,*,Ring,Simple,*\n")
                         .rules;
  constexpr int kOne = 4, kOther = 2;  // all_reduce, all_gather
  const auto line_of = [&](Call call) {
    const auto* rule = find_rule(rules, call);
    return rule == nullptr ? 0 : rule->line;
  };

  EXPECT_EQ(line_of({kOne, 100, 1, 8}), 2u);
  EXPECT_EQ(line_of({kOne, 200, 1, 8}), 2u);
  EXPECT_EQ(line_of({kOne, 99, 1, 8}), 3u);
  EXPECT_EQ(line_of({kOne, 201, 1, 8}), 3u);
  EXPECT_EQ(line_of({kOne, 150, 1, 4}), 3u);
  EXPECT_EQ(line_of({kOne, 150, 2, 8}), 0u);
  EXPECT_EQ(line_of({kOther, 150, 1, 8}), 0u);
}

TEST(TunerRules, AreRefusedInASentenceWithTheLine) {
  const struct {
    std::string lines, sentence;
  } kBad[] = {
      {"all_reduce,0,*,1,8,Treee,LL,*\n", "line 2: 'Treee' is no algorithm: give Tree, Ring"},
      {"\nall_reduce,0,*,1,8,Tree,ll,*\n", "line 3: 'll' is no protocol"},
      {"alltoall,0,*,1,8,Ring,LL,*\n", "'alltoall' is no collective"},
      {"*,0,*,1,8,Ring,LL,*\n", "'*' is no collective"},
      {"all_reduce,0,*,1,8,Ring,LL\n", "8 fields"},
      {"all_reduce,0,*,1,8,Ring,LL,*,9\n", "8 fields"},
      {"all_reduce,9,8,1,8,Ring,LL,*\n", "'8' is no size here: give a whole number from 9 on"},
      {"all_reduce,-1,8,1,8,Ring,LL,*\n", "'-1' is no size"},
      {"all_reduce,1K,8,1,8,Ring,LL,*\n", "'1K' is no size"},
      {"all_reduce,0,99999999999999999999,1,8,Ring,LL,*\n", "is no size"},
      {"all_reduce,0,8,0,8,Ring,LL,*\n", "'0' is no number of nodes"},
      {"all_reduce,0,8,1,,Ring,LL,*\n", "'' is no number of ranks"},
      {"all_reduce,0,8,1,8,Ring,LL,65\n", "from 1 to 64"},
      {"all_reduce,0,8,1,8,Ring,*,*\n", "together"},
      {"all_reduce,0,8,1,8,*,*,*\n", "chooses nothing"},
      {"broadcast,0,8,1,8,Tree,LL,*\n", "NCCL has no broadcast by Tree with LL"},
      {"all_reduce,0,8,1,8,NVLS,LL,*\n", "NCCL has no all_reduce by NVLS with LL"},
      {"all_reduce,0,8,1,8,\x1b[31m,LL,*\n", "'?[31m' is no algorithm"},
  };
  for (const auto& bad : kBad) {
    const auto rules = read_rules(file("") + bad.lines);

    EXPECT_THAT(rules.problem, HasSubstr(bad.sentence));
    EXPECT_THAT(rules.rules, IsEmpty());
  }
}

TEST(TunerRules, NeedTheirHeadingAndHaveLimits) {
  EXPECT_THAT(read_rules("").problem, HasSubstr("the heading is missing"));
  EXPECT_THAT(read_rules("all_reduce,0,8,1,8,Ring,LL,*\n").problem,
              HasSubstr("line 1: the first line is the heading"));
  EXPECT_THAT(read_rules(std::string(kMostRuleBytes + 1, '\n')).problem, HasSubstr("bytes"));
  std::string lines;
  for (std::size_t i = 0; i <= kMostRules; ++i) lines += "all_reduce,0,8,1,8,Ring,LL,*\n";
  EXPECT_THAT(read_rules(file(lines)).problem, HasSubstr("more than 10000 rules"));
}

}  // namespace
}  // namespace linerate::nccl::tuner
