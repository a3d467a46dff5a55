// The table, JSON Lines and CSV as sinks, and several of them together.
#include "base/error.h"
#include "output/console_table.h"
#include "output/file_sinks.h"
#include "output/sink.h"
#include "record/json_lines.h"
#include "support/folder.h"
#include "unit/output/examples.h"
#include "unit/output/golden.h"
#include "unit/output/pipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace linerate {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// What a table on a pipe holds until a reader looks.
const std::vector<Record> kSmall = row_of(all_reduce_of(8), {1.5, .005, .005}, {1.5, .005, .005});
const std::vector<Record> kLarge =
    row_of(all_reduce_of(67108864), {5321.4, 12.611, 12.611}, {5400, 12.427, 12.427});

TEST(ConsoleTable, PrintsTheGoldenTable) {
  Pipe pipe;
  ConsoleTable table(pipe.writer(), doubling(8, 67108864));

  table.begin(two_ranks());
  table.row(kSmall);
  table.row(kLarge);
  table.end(clean_end(6.26175));

  EXPECT_EQ(pipe.read(), golden("all_reduce.txt"));
}

TEST(ConsoleTable, ShowsARowBeforeTheNextIsMeasured) {
  Pipe pipe;
  ConsoleTable table(pipe.writer(), doubling(8, 67108864));
  table.begin(two_ranks());
  (void)pipe.read();

  table.row(kSmall);

  EXPECT_THAT(pipe.read(), StartsWith("           8             2     float"));
}

std::vector<Record> row_that_ran(const CallFacts& out_of_place, const CallFacts& in_place) {
  auto row = kSmall;
  row[0].call = out_of_place;
  row[1].call = in_place;
  return row;
}

std::string shown(const std::vector<std::vector<Record>>& rows, bool show_algorithms) {
  Pipe pipe;
  ConsoleTable table(pipe.writer(), {.show_algorithms = show_algorithms});
  for (const auto& row : rows) table.row(row);
  return pipe.read();
}

TEST(ConsoleTable, NamesTheAlgorithmAboveTheFirstRowThatItIsTrueOf) {
  const CallFacts tree{.algorithm = "TREE", .protocol = "LL", .channels = 1};
  const CallFacts ring{.algorithm = "RING", .protocol = "SIMPLE", .channels = 24};
  const auto row = shown({kSmall}, false);

  const auto text = shown({row_that_ran(tree, tree), row_that_ran(tree, tree),
                           row_that_ran(ring, tree), row_that_ran(ring, ring)},
                          true);

  EXPECT_EQ(text, "# algo: TREE, LL, 1 channel\n" + row + row +
                      "# algo: out_of_place RING, SIMPLE, 24 channels; in_place TREE, LL, 1 "
                      "channel\n" +
                      row + "# algo: RING, SIMPLE, 24 channels\n" + row);
}

TEST(ConsoleTable, SaysThatTheAlgorithmIsUnknownWhereNothingIsTold) {
  const CallFacts name_only{.algorithm = "ring"};
  const auto row = shown({kSmall}, false);

  EXPECT_EQ(shown({row_that_ran({}, {})}, true), "# algo: unknown\n" + row);
  EXPECT_EQ(shown({row_that_ran(name_only, {})}, true),
            "# algo: out_of_place ring; in_place unknown\n" + row);
}

TEST(ConsoleTable, SaysThatWhatWasToldIsLost) {
  const auto row = shown({kSmall}, false);

  EXPECT_EQ(shown({row_that_ran({.lost = true}, {.lost = true})}, true),
            "# algo: unknown, because recording it failed\n" + row);
}

TEST(ConsoleTable, NamesNoAlgorithmUnlessAsked) {
  const CallFacts ring{.algorithm = "ring"};

  EXPECT_EQ(shown({row_that_ran(ring, ring)}, false), shown({kSmall}, false));
}

TEST(ConsoleTable, PrintsNoFooterWithoutAHeading) {
  const TemporaryFolder folder;
  ConsoleTable table(*TextFile::append(folder.path("out")), {});

  table.end(EndInfo{.error = "no rank answered."});

  EXPECT_EQ(folder.read("out"), "");
}

TEST(JsonlSink, WritesALinePerGroupAndPlacement) {
  const TemporaryFolder folder;
  auto sink = *JsonlSink::open(folder.path("run.jsonl"));
  auto groups = kSmall;
  groups.insert(groups.end(), kSmall.begin(), kSmall.end());
  groups[2].group = groups[3].group = 1;

  sink->begin(two_ranks());
  for (const auto& record : groups) sink->result(record);
  sink->end(clean_end(1));

  const auto file = read_jsonl(folder.read("run.jsonl"));
  ASSERT_TRUE(file) << file.sentence();
  EXPECT_EQ(file->runs.size(), 1u);
  ASSERT_EQ(file->records.size(), 4u);
  EXPECT_EQ(file->records[3].group, 1);
  EXPECT_EQ(file->ends.size(), 1u);
}

TEST(JsonlSink, HasWrittenEachLineWhenTheCallReturns) {
  const TemporaryFolder folder;
  auto sink = *JsonlSink::open(folder.path("run.jsonl"));

  sink->begin(two_ranks());
  EXPECT_EQ(folder.read("run.jsonl"), json_line(two_ranks()));
  for (const auto& record : kSmall) sink->result(record);

  EXPECT_EQ(folder.read("run.jsonl"),
            json_line(two_ranks()) + json_line(kSmall[0]) + json_line(kSmall[1]));
}

TEST(JsonlSink, AddsARunToAFileOfRuns) {
  const TemporaryFolder folder;
  (*JsonlSink::open(folder.path("run.jsonl")))->begin(two_ranks());

  (*JsonlSink::open(folder.path("run.jsonl")))->begin(two_ranks());

  EXPECT_EQ(read_jsonl(folder.read("run.jsonl"))->runs.size(), 2u);
}

TEST(JsonlSink, RefusesAFileThatEndsWithinALine) {
  const TemporaryFolder folder;
  folder.write("run.jsonl", "{\"kind\":\"run\"}\n{\"ki");

  const auto sink = JsonlSink::open(folder.path("run.jsonl"));

  ASSERT_FALSE(sink);
  EXPECT_THAT(sink.sentence(), HasSubstr("middle of a line"));
  EXPECT_EQ(folder.read("run.jsonl"), "{\"kind\":\"run\"}\n{\"ki");
}

TEST(JsonlSink, RefusesAFileOfSomethingElse) {
  const TemporaryFolder folder;
  folder.write("notes.txt", "my notes\n");

  const auto sink = JsonlSink::open(folder.path("notes.txt"));

  ASSERT_FALSE(sink);
  EXPECT_THAT(sink.sentence(), HasSubstr("something else"));
  EXPECT_EQ(folder.read("notes.txt"), "my notes\n");
}

TEST(CsvSink, WritesOneHeadingAndALinePerRecord) {
  const TemporaryFolder folder;
  auto sink = *CsvSink::open(folder.path("run.csv"));

  sink->begin(two_ranks());
  for (const auto& record : kSmall) sink->result(record);
  sink->end(clean_end(1));

  EXPECT_EQ(folder.read("run.csv"),
            "run_id,timestamp,collective,type,redop,root,placement,bytes,count,group,nranks,nnodes,"
            "backend,backend_version,transport,iters,agg,time_us,cpu_us,algbw_gbps,busbw_gbps,"
            "samples,batch,min_us,median_us,mean_us,p95_us,p99_us,max_us,cv,ci95_low_us,"
            "ci95_high_us,arrival_skew_us,exit_skew_us,wrong,source,dest,expected_busbw_gbps,"
            "bound_by,efficiency,verdict,algorithm,protocol,channels,expected_low_gbps,"
            "expected_high_gbps,ncclmodel_busbw_gbps,slack,touched_bytes,last_to_last_us\n"
            "r1,2024-05-01T10:00:01.000Z,all_reduce,float,sum,-1,out_of_place,8,2,0,2,1,host,0.1.0,"
            "shared memory,20,1,1.5,,0.005,0.005,,,,,,,,,,,,,,0,,,,,,,,,,,,,,,\n"
            "r1,2024-05-01T10:00:01.000Z,all_reduce,float,sum,-1,in_place,8,2,0,2,1,host,0.1.0,"
            "shared memory,20,1,1.5,,0.005,0.005,,,,,,,,,,,,,,0,,,,,,,,,,,,,,,\n");
}

TEST(CsvSink, PutsSamplesUnderTheirHeadings) {
  auto record = kSmall[0];
  record.window.cpu_us = 0.75;
  record.samples.emplace();
  record.samples->us = {.n = 1,
                        .min = 3,
                        .median = 4,
                        .mean = 5,
                        .p95 = 6,
                        .p99 = 7,
                        .max = 8,
                        .cv = 0.5,
                        .ci95_low = 9,
                        .ci95_high = 10};
  record.samples->batch = 2;
  record.samples->arrival_skew_us = 11;
  record.samples->exit_skew_us = 12;
  record.samples->last_to_last_us = 13;

  EXPECT_THAT(csv_line(record),
              HasSubstr(",0.75,0.005,0.005,1,2,3,4,5,6,7,8,0.5,9,10,11,12,0,,,,,,,,,,,,,,,13\n"));
}

TEST(CsvSink, SaysWhatWasExpectedAndWhatRan) {
  auto record = kSmall[0];
  record.busbw_gbps = 3;
  record.expected =
      Expectation{.busbw_gbps = 4, .low_gbps = 3.2, .high_gbps = 4.2, .bound_by = "memory, of two"};
  record.call = {.algorithm = "RING", .protocol = "LL128", .channels = 24};

  EXPECT_THAT(csv_line(record),
              HasSubstr(",4,\"memory, of two\",0.75,low,RING,LL128,24,3.2,4.2,,1,,\n"));
}

TEST(CsvSink, WritesNumbersWithoutTheRoundingOfBinaryFractions) {
  auto record = kSmall[0];
  record.algbw_gbps = 0.11922749999999999;

  EXPECT_THAT(csv_line(record), HasSubstr(",0.1192275,"));
}

TEST(CsvSink, WritesOneHeadingForRunsThatOpenedTheFileTogether) {
  const TemporaryFolder folder;
  auto first = *CsvSink::open(folder.path("run.csv"));
  auto second = *CsvSink::open(folder.path("run.csv"));

  first->begin(two_ranks());
  first->result(kSmall[0]);
  second->begin(two_ranks());

  EXPECT_EQ(folder.read("run.csv"), csv_heading() + csv_line(kSmall[0]));
}

TEST(CsvSink, RefusesAFileThatAnotherProgramHasBegunMeanwhile) {
  const TemporaryFolder folder;
  auto sink = *CsvSink::open(folder.path("run.csv"));
  folder.write("run.csv", "name,age\n");

  EXPECT_THROW(sink->begin(two_ranks()), Error);
}

TEST(CsvSink, ContinuesItsOwnFileWithoutASecondHeading) {
  const TemporaryFolder folder;
  (*CsvSink::open(folder.path("run.csv")))->begin(two_ranks());

  (*CsvSink::open(folder.path("run.csv")))->begin(two_ranks());

  EXPECT_EQ(folder.read("run.csv"), csv_heading());
}

TEST(CsvSink, RefusesAnotherFile) {
  const TemporaryFolder folder;
  folder.write("notes.txt", "these are my notes\n");
  folder.write("torn.csv", csv_heading() + "r1,2024");

  EXPECT_FALSE(CsvSink::open(folder.path("notes.txt")));
  EXPECT_FALSE(CsvSink::open(folder.path("torn.csv")));
  EXPECT_EQ(folder.read("notes.txt"), "these are my notes\n");
}

TEST(CsvCell, IsQuotedWhereItHoldsASeparator) {
  EXPECT_EQ(csv_cell("plain text"), "plain text");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(csv_cell("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_cell(""), "");
}

class Broken final : public Sink {
 public:
  void begin(const RunInfo&) override { throw std::runtime_error("begin"); }
  void result(const Record&) override { throw std::runtime_error("result"); }
  void row(std::span<const Record>) override { throw std::runtime_error("row"); }
  void end(const EndInfo&) override { throw std::runtime_error("end"); }
};

TEST(SinkList, GivesEverySinkItsLineAlsoBehindABrokenOne) {
  const TemporaryFolder folder;
  SinkList sinks;
  sinks.add(std::make_unique<Broken>());
  sinks.add(*JsonlSink::open(folder.path("run.jsonl")));

  EXPECT_THROW(sinks.begin(two_ranks()), std::runtime_error);
  for (const auto& record : kSmall) EXPECT_THROW(sinks.result(record), std::runtime_error);
  EXPECT_THROW(sinks.row(kSmall), std::runtime_error);
  EXPECT_THROW(sinks.end(clean_end(1)), std::runtime_error);

  const auto file = read_jsonl(folder.read("run.jsonl"));
  EXPECT_EQ(file->records.size(), 2u);
  EXPECT_EQ(file->ends.size(), 1u);
}

TEST(SinkList, KeepsTheFilesWhenStdoutIsClosedAndEndsOnce) {
  const TemporaryFolder folder;
  Pipe pipe;
  SinkList sinks;
  sinks.add(std::make_unique<ConsoleTable>(pipe.writer(), doubling(8, 64)));
  sinks.add(*JsonlSink::open(folder.path("run.jsonl")));
  sinks.begin(two_ranks());
  pipe.close_reader();

  for (const auto& record : kSmall) sinks.result(record);
  EXPECT_THROW(sinks.row(kSmall), SystemError);
  EXPECT_NO_THROW(sinks.end(clean_end(1)));

  EXPECT_EQ(read_jsonl(folder.read("run.jsonl"))->records.size(), 2u);
}

}  // namespace
}  // namespace linerate
