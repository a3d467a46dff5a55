// What was written comes back; what is broken is refused by line; what is new is passed over.

#include "record/json_lines.h"
#include "unit/record/examples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

namespace linerate {
namespace {

using ::testing::HasSubstr;

std::string example_file() {
  return json_line(example_run()) + json_line(example_record()) + json_line(example_finding()) +
         json_line(example_end());
}

std::string sentence_about(std::string_view text, const ReaderLimits& limits = {}) {
  const auto file = read_jsonl(text, limits);
  return file ? "accepted" : file.sentence();
}

TEST(ReadJsonl, GivesBackEverythingThatWasWritten) {
  const auto file = read_jsonl(example_file());

  ASSERT_TRUE(file) << file.sentence();
  EXPECT_EQ(json_line(file->runs.at(0)), json_line(example_run()));
  EXPECT_EQ(json_line(file->records.at(0)), json_line(example_record()));
  EXPECT_EQ(json_line(file->findings.at(0)), json_line(example_finding()));
  EXPECT_EQ(file->findings.at(0), example_finding());
  EXPECT_EQ(json_line(file->ends.at(0)), json_line(example_end()));
  EXPECT_FALSE(file->torn);
}

TEST(ReadJsonl, GivesBackTheMembersThemselves) {
  const auto file = read_jsonl(example_file());

  ASSERT_TRUE(file);
  const Record& record = file->records.at(0);
  EXPECT_EQ(record.what.placement, Placement::in_place);
  EXPECT_EQ(record.samples->us.ci95_high, 2.25);
  EXPECT_DOUBLE_EQ(record.samples->us.stdev, 0.5);
  EXPECT_EQ(record.where->first.got_bits, 0xc0000000u);
  EXPECT_EQ(record.pair->second, 1);
  EXPECT_EQ(file->runs.at(0).settings.at(1).json, "\"sum\"");
  EXPECT_EQ(file->ends.at(0).memory_bytes.at(1).second, 4096u);
}

TEST(ReadJsonl, GivesBackHealth) {
  const NodeHealth health{
      .run_id = "r1",
      .node = 3,
      .hostname = "node07",
      .samples = 12,
      .counters = 28,
      .gpus = 1,
      .values = {{.subject = "eth0", .what = "rx_errors", .before = 1ULL << 60U, .after = 7},
                 {.subject = "GPU 0",
                  .what = "temperature_c",
                  .min = 40,
                  .mean = 45.5,
                  .max = 50,
                  .limit = 90}},
      .unread = {"Xids: no"}};

  const auto file = read_jsonl(json_line(health));

  ASSERT_TRUE(file) << file.sentence();
  EXPECT_EQ(json_line(health),
            R"({"kind":"health","run_id":"r1","node":3,"hostname":"node07","samples":12,)"
            R"("counters":28,"gpus":1,"values":[{"subject":"eth0","what":"rx_errors",)"
            R"("before":1152921504606846976,"after":7},{"subject":"GPU 0","what":)"
            R"("temperature_c","min":40.0,"mean":45.5,"max":50.0,"limit":90.0}],)"
            R"("unread":["Xids: no"]})"
            "\n");
  EXPECT_EQ(json_line(file->health.at(0)), json_line(health));
  EXPECT_EQ(file->unknown_lines, 0U);
}

TEST(ReadJsonl, GivesBackMemory) {
  auto run = example_run();
  run.memory.push_back({.bytes = 1024, .copy_gbps = 5});

  const auto file = read_jsonl(json_line(run) + json_line(example_end()));

  ASSERT_TRUE(file) << file.sentence();
  EXPECT_EQ(file->runs.at(0).memory, run.memory);
}

TEST(ReadJsonl, GivesBackCondensedRanks) {
  auto record = example_record();
  record.samples->late_us.assign(70, 1.0);
  record.samples->late_us[33] = 9;
  record.samples->wait_us.assign(70, 2.0);
  record.samples->transfer_us.assign(70, 3.0);
  record.where->count_per_rank.assign(70, {2, 8});

  const auto file = read_jsonl(json_line(record));

  ASSERT_TRUE(file) << file.sentence();
  ASSERT_TRUE(file->records.at(0).samples->late_spread.has_value());
  EXPECT_EQ(file->records[0].samples->late_spread->worst.at(0), std::pair(33, 9.0));
  EXPECT_EQ(file->records[0].samples->wait_spread->median, 2);
  EXPECT_EQ(file->records[0].samples->transfer_spread->median, 3);
  EXPECT_EQ(file->records[0].where->wrong_ranks, 70u);
  EXPECT_EQ(json_line(file->records[0]), json_line(record));
}

TEST(ReadJsonl, ReadsAnEmptyText) {
  const auto file = read_jsonl("");

  ASSERT_TRUE(file);
  EXPECT_TRUE(file->runs.empty());
}

TEST(ReadJsonl, LeavesOutATornLastLineAndSaysSo) {
  const auto text = example_file();
  const auto last = json_line(example_end()).size();

  for (std::size_t cut = 2; cut < last; ++cut) {
    const auto file = read_jsonl(std::string_view(text).substr(0, text.size() - cut));
    ASSERT_TRUE(file) << "cut by " << cut << ": " << file.sentence();
    EXPECT_TRUE(file->torn) << "cut by " << cut;
    EXPECT_EQ(file->records.size(), 1u);
    EXPECT_TRUE(file->ends.empty());
  }
}

TEST(ReadJsonl, TakesAWholeLastLineWithoutLineEnd) {
  auto text = example_file();
  text.pop_back();

  const auto file = read_jsonl(text);

  ASSERT_TRUE(file);
  EXPECT_FALSE(file->torn);
  EXPECT_EQ(file->ends.size(), 1u);
}

TEST(ReadJsonl, RefusesATornLineElsewhereWithItsNumber) {
  const auto text = json_line(example_run()) + R"({"kind":"resu)" + "\n" + json_line(example_end());

  EXPECT_THAT(sentence_about(text), HasSubstr("Line 2 is not JSON"));
}

TEST(ReadJsonl, RefusesABrokenLastLineThatHasItsLineEnd) {
  EXPECT_THAT(sentence_about(json_line(example_run()) + "{\"kind\"\n"), HasSubstr("Line 2"));
}

TEST(ReadJsonl, RefusesTwoLinesGluedTogether) {
  auto first = json_line(example_run());
  first.resize(first.size() / 2);

  EXPECT_THAT(sentence_about(first + json_line(example_run())), HasSubstr("Line 1"));
}

TEST(ReadJsonl, RefusesWhatIsNoObjectWithAKind) {
  for (const auto* text : {"[]\n", "3\n", "\"run\"\n", "null\n", "{}\n", "{\"kind\":3}\n"})
    EXPECT_THAT(sentence_about(text), HasSubstr("Line 1 is not an object with a kind")) << text;
}

TEST(ReadJsonl, PassesOverUnknownKindsAndKeys) {
  const auto file = read_jsonl(
      "{\"kind\":\"forecast\",\"busbw\":3}\n"
      "{\"kind\":\"end\",\"run_id\":\"r\",\"new\":[1,{\"a\":2}],\"exit_code\":4}\n");

  ASSERT_TRUE(file) << file.sentence();
  EXPECT_EQ(file->unknown_lines, 1u);
  EXPECT_EQ(file->ends.at(0).exit_code, 4);
}

TEST(ReadJsonl, PassesOverBlankLinesAndCarriageReturns) {
  const auto file = read_jsonl("\n{\"kind\":\"end\",\"exit_code\":4}\r\n\n");

  ASSERT_TRUE(file);
  EXPECT_EQ(file->ends.at(0).exit_code, 4);
}

TEST(ReadJsonl, RefusesAKnownKeyOfAnotherTypeByName) {
  EXPECT_THAT(sentence_about("{\"kind\":\"end\",\"exit_code\":\"0\"}\n"), HasSubstr("'exit_code'"));
  EXPECT_THAT(sentence_about("{\"kind\":\"run\",\"ranks\":[3]}\n"), HasSubstr("'ranks'"));
  EXPECT_THAT(sentence_about("{\"kind\":\"result\",\"case\":{\"placement\":\"x\"}}\n"),
              HasSubstr("'placement'"));
  for (const auto* bits : {"0xzz", "0x1g", "12", "0x"})
    EXPECT_THAT(
        sentence_about(std::string("{\"kind\":\"result\",\"first_wrong\":{\"got_bits\":\"") + bits +
                       "\"}}\n"),
        HasSubstr("'got_bits'"))
        << bits;
}

TEST(ReadJsonl, RefusesNumbersThatDoNotFit) {
  EXPECT_THAT(sentence_about("{\"kind\":\"end\",\"exit_code\":99999999999}\n"),
              HasSubstr("'exit_code'"));
  EXPECT_THAT(sentence_about("{\"kind\":\"result\",\"wrong\":-1}\n"), HasSubstr("'wrong'"));
  EXPECT_THAT(sentence_about("{\"kind\":\"result\",\"wrong\":1e300}\n"), HasSubstr("'wrong'"));
  EXPECT_THAT(sentence_about("{\"kind\":\"result\",\"algbw_gbps\":1e999}\n"), HasSubstr("Line 1"));
}

TEST(ReadJsonl, RefusesANewerSchema) {
  EXPECT_THAT(sentence_about("{\"kind\":\"run\",\"schema\":2}\n"), HasSubstr("schema"));
}

TEST(ReadJsonl, HoldsItsLimits) {
  const std::string deep(40, '[');
  const auto line = json_line(example_end());

  EXPECT_THAT(sentence_about("{\"kind\":" + deep), HasSubstr("deeper"));
  EXPECT_THAT(sentence_about(line, {.line_bytes = 20}), HasSubstr("longer"));
  EXPECT_THAT(sentence_about(line + line + line, {.lines = 2}), HasSubstr("Line 3"));
  EXPECT_EQ(sentence_about("{\"kind\":\"end\",\"error\":\"" + deep + "\\\"" + deep + "\"}\n"),
            "accepted");
}

TEST(ReadJsonl, HoldsItsLimitOfKeysInEachObjectByItself) {
  std::string keys = "\"0\":{\"a:b\":\":\"}";
  for (int i = 1; i < 100; ++i) keys += ",\"" + std::to_string(i) + "\":{\"a\":[{\"b\":1}]}";
  const auto line = "{\"kind\":\"end\",\"new\":{" + keys + "}}\n";

  EXPECT_EQ(sentence_about(line), "accepted");
  EXPECT_EQ(sentence_about(line, {.keys = 100}), "accepted");
  EXPECT_THAT(sentence_about(line, {.keys = 99}), HasSubstr("Line 1 has an object of more keys"));
}

TEST(ReadJsonl, RefusesAnObjectOfVeryManyKeys) {
  std::string line = "{\"kind\":\"end\"";
  for (int i = 0; i < 300'000; ++i) line += ",\"" + std::to_string(i) + "\":0";

  EXPECT_THAT(sentence_about(line + "}\n"), HasSubstr("Line 1 has an object of more keys"));
}

// The fuzz target's property, on a fixed set of damaged files: no crash, and always an answer.
TEST(ReadJsonl, SurvivesDamagedText) {
  const auto text = example_file();
  std::mt19937 random(7);

  for (int trial = 0; trial < 5000; ++trial) {
    auto damaged = text;
    for (int edit = 0; edit < 3; ++edit)
      damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
    const auto file = read_jsonl(damaged);
    EXPECT_THAT(file ? "Line " : file.sentence(), HasSubstr("Line "));
  }
}

}  // namespace
}  // namespace linerate
