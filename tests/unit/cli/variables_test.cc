// What the NCCL_TESTS_* and LINERATE_* variables write into the configuration.
#include "unit/cli/command_line.h"
#include "unit/cli/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Kind = SplitRule::Kind;

SplitRule split_of(const std::string& text) {
  return config_of({}, {{"NCCL_TESTS_SPLIT", text}}).split;
}

TEST(SplitVariable, ReadsEveryOperatorByWordAndSign) {
  const std::map<std::string, Kind> kinds{
      {"AND", Kind::bit_and}, {"OR", Kind::bit_or}, {"MOD", Kind::mod},
      {"DIV", Kind::div},     {"&", Kind::bit_and}, {"|", Kind::bit_or},
      {"%", Kind::mod},       {"/", Kind::div},     {"mod", Kind::mod}};
  for (const auto& [name, kind] : kinds) {
    const auto split = split_of(name + "8");

    EXPECT_EQ(split.kind, kind) << name;
    EXPECT_EQ(split.value, 8u) << name;
  }
}

TEST(SplitVariable, ReadsDecimalHexadecimalAndBinaryNumbers) {
  EXPECT_EQ(split_of("MOD10").value, 10u);
  EXPECT_EQ(split_of("MOD 0x10").value, 16u);
  EXPECT_EQ(split_of("AND0b101").value, 5u);
}

TEST(SplitVariable, YieldsToTheMask) {
  const auto config =
      config_of({}, {{"NCCL_TESTS_SPLIT", "MOD8"}, {"NCCL_TESTS_SPLIT_MASK", "0x7"}});

  EXPECT_EQ(config.split.kind, Kind::bit_and);
  EXPECT_EQ(config.split.value, 7u);
}

TEST(SplitVariable, IsCheckedEvenWhereTheMaskReplacesIt) {
  const Variables both{{"NCCL_TESTS_SPLIT", "XOR8"}, {"NCCL_TESTS_SPLIT_MASK", "7"}};

  EXPECT_THAT(sentence_of({}, both), HasSubstr("NCCL_TESTS_SPLIT operator"));
}

TEST(SplitMaskVariable, ReadsAllSixtyFourBits) {
  const auto config = config_of({}, {{"NCCL_TESTS_SPLIT_MASK", "FFFFFFFFFFFFFFFF"}});

  EXPECT_EQ(config.split.value, UINT64_MAX);
}

TEST(Variables, WriteTheirFields) {
  const auto config = config_of({}, {{"NCCL_TESTS_MIN_BW", "12.5"},
                                     {"NCCL_TESTS_DEVICE", "3"},
                                     {"NCCL_TESTS_ALLTOALLV_SPREAD", "0.25"},
                                     {"NCCL_TESTS_ALLTOALLV_MATRIX_FILE", "m.txt"},
                                     {"NCCL_TESTS_ALLTOALLV_MATRIX_SCALE", "2"},
                                     {"NCCL_TESTS_ALLTOALLV_PRINT_SUMMARY", "1"}});

  const Fields expected{{"min_bw_gbps", "12.5"},  {"base_device", "3"},  {"spread", "0.25"},
                        {"matrix_file", "m.txt"}, {"matrix_scale", "2"}, {"print_summary", "true"}};
  EXPECT_EQ(changed_fields(config), expected);
}

TEST(Variables, OfLinerateGiveOptionsOfEveryTool) {
  const auto config = config_of({}, {{"LINERATE_JSONL", "r.jsonl"}, {"LINERATE_STUDY", "s:a:3"}});

  const Fields expected{{"jsonl_file", "r.jsonl"}, {"study", "s:a:3"}};
  EXPECT_EQ(changed_fields(config), expected);
  EXPECT_EQ(config.study, "s:a");
  EXPECT_EQ(config.repetition, 3);
  EXPECT_EQ(config.repetitions, 0);
  EXPECT_EQ(config_of({}, {{"LINERATE_STUDY", "s:3/5"}}).repetitions, 5);
  const auto timed = config_of({}, {{"LINERATE_STUDY", "s:3/5/1.5"}});
  EXPECT_EQ(timed.repetitions, 5);
  EXPECT_EQ(timed.repetition_s, 1.5);
}

TEST(JsonlVariable, YieldsToTheOption) {
  const auto config = config_of({"--jsonl", "mine.jsonl"}, {{"LINERATE_JSONL", "r.jsonl"}});

  EXPECT_EQ(config.jsonl_file, "mine.jsonl");
}

TEST(StudyVariable, RefusesWhatIsNoNumberBehindItsColon) {
  for (const auto* text :
       {"s:", "s:x", "s:0", ":3", "s:1:", "s:3/", "s:3/2", "s:/3", "s:3/5/", "s:3/5/x", "s:3/5/-1"})
    EXPECT_THAT(sentence_of({}, {{"LINERATE_STUDY", text}}), HasSubstr("LINERATE_STUDY")) << text;
}

TEST(Variables, CountAsUnsetWhenEmpty) {
  Variables empty;
  for (const auto* name : {"NCCL_TESTS_SPLIT", "NCCL_TESTS_MIN_BW", "NCCL_TESTS_DEVICE"})
    empty[name] = "";

  EXPECT_THAT(changed_fields(config_of({}, empty)), IsEmpty());
}

std::vector<std::string> notes_of(Variables variables) {
  const auto parsed = parse({}, std::move(variables));
  return parsed ? parsed->notes : std::vector<std::string>{parsed.sentence()};
}

TEST(Variables, AreMissedWhereANameIsNearlyOneOfThem) {
  EXPECT_THAT(notes_of({{"NCCL_TESTS_SPLITT", "MOD2"}}),
              ElementsAre("NCCL_TESTS_SPLITT is no variable of linerate and has no effect: did "
                          "you mean NCCL_TESTS_SPLIT?"));
  EXPECT_THAT(notes_of({{"NCCL_TESTS_WHATEVER_ELSE_THERE_IS", "1"}}),
              ElementsAre("NCCL_TESTS_WHATEVER_ELSE_THERE_IS is no variable of linerate and has no "
                          "effect."));
}

TEST(Variables, AreMissedWhereANameIsNearlyOneOfOurOwn) {
  EXPECT_THAT(notes_of({{"LINERATE_TOKENS", "secret"}}),
              ElementsAre("LINERATE_TOKENS is no variable of linerate and has no effect: did you "
                          "mean LINERATE_TOKEN?"));
  EXPECT_THAT(notes_of({{"LINERATE_TOKEN", "secret"}, {"LINERATE_STORE", "here"}}), IsEmpty());
}

TEST(Variables, OfNcclItselfAndEmptyOnesAreNotMissed) {
  EXPECT_THAT(notes_of({{"NCCL_TEST_SPLIT", "1"},
                        {"NCCL_DEBUG", "INFO"},
                        {"NCCL_TESTS_X", ""},
                        {"NCCL_TESTS_SPLIT", "MOD2"}}),
              IsEmpty());
}

TEST(MatrixFileVariable, NeedsOneSize) {
  const Variables file{{"NCCL_TESTS_ALLTOALLV_MATRIX_FILE", "m.txt"}};

  EXPECT_THAT(sentence_of({"-b", "8", "-e", "64"}, file), HasSubstr("the same value"));
}

}  // namespace
}  // namespace linerate
