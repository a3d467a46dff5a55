// The measured table: derived from times, written, read again, refused when it makes no sense.
#include "backends/host/tuning_table.h"

#include "backends/host/algorithms/rows.h"
#include "support/folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace linerate::host {
namespace {

constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

std::vector<Timing> at(std::size_t bytes, const std::map<std::string, double>& times) {
  std::vector<Timing> timings;
  for (const auto& [algorithm, us] : times)
    timings.push_back({OpKind::all_reduce, 2, bytes, algorithm, us, us, us});
  return timings;
}

std::vector<Rule> rules_of(const std::vector<std::vector<Timing>>& sizes) {
  std::vector<Timing> all;
  for (const auto& size : sizes) all.insert(all.end(), size.begin(), size.end());
  return rules_from(all, 0.03);
}

TEST(RulesFrom, ChangesWhereTheFastestDoes) {
  const auto rules =
      rules_of({at(8, {{"eager", 1}, {"flat", 2}}), at(16, {{"eager", 1.5}, {"flat", 2}}),
                at(32, {{"eager", 3}, {"flat", 2}})});

  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[0].algorithm, &kEager);
  EXPECT_EQ(rules[0].max_bytes, 16u);
  EXPECT_EQ(rules[1].algorithm, &kFlat);
  EXPECT_EQ(rules[1].max_bytes, kAny);
}

TEST(RulesFrom, KeepsAnAlgorithmThatIsHardlySlower) {
  const auto rules =
      rules_of({at(8, {{"flat", 1}, {"pull", 2}}), at(16, {{"flat", 1.02}, {"pull", 1.0}}),
                at(32, {{"flat", 1}, {"pull", 2}})});

  ASSERT_EQ(rules.size(), 1u);
  EXPECT_EQ(rules[0].algorithm, &kFlat);
}

TEST(RulesFrom, KeepsAnAlgorithmWhoseIntervalReachesTheFastest) {
  auto disturbed = at(16, {{"flat", 1.5}, {"pull", 1.0}});
  disturbed[0].low_us = 1.1;
  disturbed[1].high_us = 1.2;

  const auto rules = rules_of({at(8, {{"flat", 1}, {"pull", 2}}), disturbed});

  ASSERT_EQ(rules.size(), 1u);
  EXPECT_EQ(rules[0].algorithm, &kFlat);
}

TEST(RulesFrom, TakesOfEqualsTheOneThatLasts) {
  const auto rules =
      rules_of({at(8, {{"pull", 1.0}, {"flat", 1.01}}), at(16, {{"pull", 2.0}, {"flat", 1.0}})});

  ASSERT_EQ(rules.size(), 1u);
  EXPECT_EQ(rules[0].algorithm, &kFlat);
}

TEST(RulesFrom, EndsARuleWhereItsAlgorithmIsNotDefined) {
  const auto rules =
      rules_of({at(8, {{"eager", 1}}), at(16, {{"flat", 9}}), at(32, {{"flat", 9}})});

  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[0].max_bytes, 8u);
}

TEST(Merged, KeepsWhatWasNotMeasuredAnew) {
  const std::vector<Rule> before{{OpKind::all_reduce, 2, 64, &kEager},
                                 {OpKind::all_reduce, 2, 4096, &kPull},
                                 {OpKind::all_reduce, 2, kAny, &kFlat},
                                 {OpKind::broadcast, 2, kAny, &kTree}};
  const std::vector<Rule> fresh{{OpKind::all_reduce, 2, kAny, &kRing, true}};
  const std::vector<Timing> timings{{.kind = OpKind::all_reduce, .nranks = 2, .bytes = 256},
                                    {.kind = OpKind::all_reduce, .nranks = 2, .bytes = 8192}};

  const auto rules = merged(before, fresh, timings);

  const auto chosen = [&](OpKind kind, std::size_t count) {
    return &Selection(rules, 2).choose(
        {.kind = kind, .count = count, .element_bytes = 1, .nranks = 2});
  };
  EXPECT_EQ(chosen(OpKind::broadcast, 300), &kTree);
  EXPECT_EQ(chosen(OpKind::all_reduce, 64), &kEager);
  EXPECT_EQ(chosen(OpKind::all_reduce, 65), &kPull);
  EXPECT_EQ(chosen(OpKind::all_reduce, 255), &kPull);
  EXPECT_EQ(chosen(OpKind::all_reduce, 256), &kRing);
  EXPECT_EQ(chosen(OpKind::all_reduce, 8192), &kRing);
  EXPECT_EQ(chosen(OpKind::all_reduce, 8193), &kFlat);
}

TEST(Selection, TakesTheRowOfTheNextLargerNumberOfRanks) {
  const std::vector<Rule> rules{{OpKind::all_reduce, 2, kAny, &kPull},
                                {OpKind::all_reduce, 4, kAny, &kRing},
                                {OpKind::all_reduce, 8, kAny, &kTree}};
  const auto chosen = [&](int nranks) {
    const Problem problem{.kind = OpKind::all_reduce, .count = 1, .nranks = nranks};
    return &Selection(rules, nranks).choose(problem);
  };

  EXPECT_EQ(chosen(2), &kPull);
  EXPECT_EQ(chosen(3), &kRing);
  EXPECT_EQ(chosen(8), &kTree);
  EXPECT_EQ(chosen(40), &kTree);
}

TEST(Selection, GoesOnWhereAnAlgorithmIsNotDefined) {
  const std::vector<Rule> rules{{OpKind::gather, 2, kAny, &kRing}};
  const Problem problem{.kind = OpKind::gather, .count = 1, .nranks = 2};

  EXPECT_EQ(&Selection(rules, 2).choose(problem), &kFlat);
}

TEST(Selection, ForcesWhereItCan) {
  Selection selection({}, 4);
  selection.force(&kRing);

  EXPECT_EQ(&selection.choose({.kind = OpKind::broadcast, .count = 1, .nranks = 4}), &kRing);
  EXPECT_EQ(&selection.choose({.kind = OpKind::scatter, .count = 1, .nranks = 4}), &kFlat);
}

TEST(BuiltInRules, AscendAndAreDefined) {
  const auto rules = built_in_rules();

  for (std::size_t i = 1; i < rules.size(); ++i) {
    if (rules[i].kind == rules[i - 1].kind && rules[i].nranks == rules[i - 1].nranks) {
      EXPECT_LT(rules[i - 1].max_bytes, rules[i].max_bytes) << i;
    }
  }
  for (const Rule& rule : rules) EXPECT_NE(rule.algorithm, nullptr);
}

const Machine kMachine{
    .cpu_model = "A CPU (R) 9000", .cores = 4, .threads = 8, .l3_bytes = 1 << 20};

TuningTable example() {
  return {.machine = machine_text(kMachine),
          .measured = "2026-01-02T03:04:05Z",
          .rules = {{OpKind::all_reduce, 2, 64, &kEager}, {OpKind::all_reduce, 2, kAny, &kFlat}}};
}

TEST(TuningTable, OfTwoCoresSaysNothingOfMoreRanksWithCoresOfTheirOwn) {
  const Rule pair{OpKind::all_reduce, 2, kAny, &kFlat};
  const Rule many{OpKind::all_reduce, 8, kAny, &kTree};
  const Rule measured{OpKind::all_reduce, 16, kAny, &kTree, true};
  const TuningTable table{.machine = "here", .rules = {pair, many, measured}};
  const auto nranks = [&](bool oversubscribed) {
    std::vector<int> found;
    for (const Rule& rule : table.rules_for(oversubscribed)) found.push_back(rule.nranks);
    return found;
  };

  EXPECT_THAT(nranks(true), testing::ElementsAre(2, 8, 16));
  EXPECT_THAT(nranks(false), testing::ElementsAre(2, 16));
}

TEST(TuningText, IsReadBackAsItWas) {
  const auto read = parse_tuning(tuning_text(example()), "x.json");

  ASSERT_TRUE(read.ok()) << read.sentence();
  EXPECT_EQ(read->machine, example().machine);
  EXPECT_EQ(read->measured, example().measured);
  ASSERT_EQ(read->rules.size(), 2u);
  EXPECT_EQ(read->rules[0].max_bytes, 64u);
  EXPECT_EQ(read->rules[1].algorithm, &kFlat);
  EXPECT_EQ(read->rules[1].max_bytes, kAny);
}

TEST(ParseTuning, RefusesWithTheReason) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "not a JSON object"},
      {"[1]", "not a JSON object"},
      {R"({"schema": 2})", "schema"},
      {R"({"schema": 1, "machine": 3})", "'machine'"},
      {R"({"schema": 1, "machine": "m", "measured": "d", "rules": 1})", "'rules' is not a list"},
      {R"({"schema": 1, "machine": "m", "measured": "d", "rules": [1]})", "rule 1"},
      {R"({"schema": 1, "machine": "m", "measured": "d", "rules": [{"collective": "x"}]})",
       "unknown collective 'x'"},
      {R"({"schema": 1, "machine": "m", "measured": "d", "rules":
          [{"collective": "reduce", "nranks": 2, "algorithm": "y"}]})",
       "unknown algorithm 'y'"},
      {R"({"schema": 1, "machine": "m", "measured": "d", "rules":
          [{"collective": "reduce", "nranks": -2, "algorithm": "flat"}]})",
       "no number of ranks"},
      {R"({"schema": 1, "machine": "m", "measured": "d", "rules":
          [{"collective": "reduce", "nranks": 2, "max_bytes": "8", "algorithm": "flat"}]})",
       "max_bytes"},
  };
  for (const auto& [text, reason] : cases) {
    const auto read = parse_tuning(text, "x.json");
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_NE(read.sentence().find(reason), std::string::npos) << read.sentence();
    EXPECT_TRUE(read.sentence().starts_with("x.json ")) << read.sentence();
  }
}

class FindTuning : public testing::Test {
 protected:
  void write(const std::string& text) {
    const auto path = tuning_path(environment_, kMachine);
    std::filesystem::create_directories(path->parent_path());
    std::ofstream(*path) << text;
  }

  TemporaryFolder folder_;
  Environment environment_{{{"XDG_CACHE_HOME", folder_.path("")}}};
  std::string complaint_;
};

TEST_F(FindTuning, YieldsTheTableOfThisMachine) {
  write(tuning_text(example()));

  EXPECT_EQ(find_tuning(environment_, kMachine, complaint_).measured, example().measured);
  EXPECT_EQ(complaint_, "");
}

TEST_F(FindTuning, FallsBackWithoutAWordWhereThereIsNone) {
  EXPECT_EQ(find_tuning(environment_, kMachine, complaint_).measured, "");
  EXPECT_EQ(find_tuning(Environment(), kMachine, complaint_).machine, built_in_machine());
  EXPECT_EQ(complaint_, "");
}

TEST_F(FindTuning, SaysWhatIsWrongWithAFile) {
  write("{");

  EXPECT_EQ(find_tuning(environment_, kMachine, complaint_).measured, "");
  EXPECT_NE(complaint_.find(folder_.root().string()), std::string::npos) << complaint_;
}

TEST_F(FindTuning, PassesOverTheTableOfAnotherMachine) {
  TuningTable other = example();
  other.machine = "another";
  write(tuning_text(other));

  EXPECT_EQ(find_tuning(environment_, kMachine, complaint_).measured, "");
}

}  // namespace
}  // namespace linerate::host
