// Lines of --trace-comm: written, read, cut.
#include "replay/trace.h"

#include "unit/replay/traces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::replay {
namespace {

using testing::HasSubstr;

std::string head(int nranks) {
  return line_of(TraceHead{.nranks = nranks, .program = "train_ddp", .backend = "host"});
}
constexpr Tag kTag{.axis = "data", .purpose = "gradients"};

std::string lines_of_two() {
  const auto call = collective(OpKind::all_reduce, {.count = 8, .start_us = 1, .time_us = 2});
  return head(2) + group_line(5, {0, 1}) + step_line(0, {.start_us = 0, .time_us = 9}) +
         call_line(0, 5, call, kTag) + call_line(1, 5, call, kTag);
}

std::string refusal(const std::string& text) {
  const auto read = read_comm_trace(text);
  return read ? "" : read.sentence();
}

TEST(TraceLines, AreReadAsTheyWereWritten) {
  const auto read = read_comm_trace(lines_of_two());

  ASSERT_TRUE(read.ok()) << read.sentence();
  ASSERT_EQ(read->ranks.size(), 2u);
  EXPECT_EQ(read->groups.at(0).ranks, (std::vector<int>{0, 1}));
  EXPECT_EQ(read->ranks[0].steps.at(0).time_us, 9);
  const auto& call = read->ranks[1].calls.at(0);
  EXPECT_EQ(call.kind, OpKind::all_reduce);
  EXPECT_EQ(call.count, 8u);
  EXPECT_EQ(call.start_us, 1);
  EXPECT_EQ(call.time_us, 2);
  EXPECT_EQ(call.purpose, "data gradients");
  EXPECT_EQ(read->origin, "train_ddp, host backend");
}

TEST(TraceLines, KeepNanosecondsAfterHours) {
  const auto call = collective(OpKind::all_reduce, {.start_us = 7.2e9 + 0.125, .time_us = 0.0625});

  const auto read = read_comm_trace(head(1) + group_line(0, {0}) + call_line(0, 0, call, kTag));

  ASSERT_TRUE(read.ok()) << read.sentence();
  EXPECT_DOUBLE_EQ(read->ranks[0].calls.at(0).start_us, 7.2e9 + 0.125);
  EXPECT_DOUBLE_EQ(*read->ranks[0].calls.at(0).time_us, 0.063);
}

TEST(TraceLines, KeepPeersAndCounts) {
  auto exchange = message(OpKind::send_recv, 1, {});
  exchange.source = 2;
  Call parts{.kind = OpKind::all_to_all_v, .send_counts = {1, 2, 3}, .recv_counts = {4, 5, 6}};

  const auto read = read_comm_trace(head(1) + group_line(0, {0}) + call_line(0, 0, exchange, kTag) +
                                    call_line(0, 0, parts, kTag));

  ASSERT_TRUE(read.ok()) << read.sentence();
  const auto& calls = read->ranks[0].calls;
  EXPECT_EQ(calls.at(0).peer, 1);
  EXPECT_EQ(calls.at(0).source, 2);
  EXPECT_EQ(calls.at(1).send_counts, (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(calls.at(1).recv_counts, (std::vector<std::uint64_t>{4, 5, 6}));
  EXPECT_FALSE(calls.at(1).time_us);
}

TEST(TraceLines, ThatWereCutAreRefusedWhereverTheyWere) {
  const auto whole = lines_of_two();

  for (std::size_t kept = 1; kept < whole.size(); ++kept)
    EXPECT_NE(refusal(whole.substr(0, kept)), "") << kept;
}

TEST(TraceLines, ThatMakeNoSenseAreNamedByNumber) {
  const auto good = lines_of_two();
  const auto bad = [&](std::string_view line) { return refusal(good + std::string(line) + '\n'); };

  EXPECT_THAT(bad("nothing"), HasSubstr("Line 6 is not JSON"));
  EXPECT_THAT(bad("[]"), HasSubstr("Line 6 is not an object with a kind"));
  EXPECT_THAT(bad(R"({"kind":"calll"})"), HasSubstr("comm_trace, group, step and call are known"));
  EXPECT_THAT(bad(R"({"kind":"step","rank":2})"), HasSubstr("has no rank of the trace"));
  EXPECT_THAT(bad(R"({"kind":"group","group":6,"ranks":[0,0]})"), HasSubstr("each once"));
  EXPECT_THAT(bad(R"({"kind":"group","group":6,"ranks":[0,2]})"), HasSubstr("not 0 to 1"));
  EXPECT_THAT(bad(R"({"kind":"group","group":5,"ranks":[0]})"), HasSubstr("again"));
  EXPECT_THAT(bad(R"({"kind":"call","rank":0,"group":4})"), HasSubstr("has no group"));
  EXPECT_THAT(bad(R"({"kind":"call","rank":0,"group":5,"op":"all_sum"})"),
              HasSubstr("unknown op 'all_sum'"));
  EXPECT_THAT(bad(std::string(200, '[') + std::string(200, ']')), HasSubstr("nests deeper"));
}

TEST(TraceLines, AreKnownHoweverTheyAreSpaced) {
  EXPECT_TRUE(is_comm_trace(lines_of_two()));
  EXPECT_TRUE(is_comm_trace("{\"schema\": 1, \"kind\": \"comm_trace\", \"nranks\": 2}\n{}\n"));
  EXPECT_FALSE(is_comm_trace("{\"schemaVersion\": 1,\n\"traceEvents\": []}"));
  EXPECT_FALSE(is_comm_trace(""));
}

// What would be a guess is refused: a call of no elements, or to rank 0.
TEST(TraceLines, TellWhatACallIsOf) {
  const auto bad = [](std::string_view op, std::string_view more) {
    return refusal(head(1) + group_line(0, {0}) +
                   fmt::format(R"({{"kind":"call","rank":0,"group":0,"op":"{}","type":"float",)"
                               R"("start_us":1{}}})",
                               op, more) +
                   '\n');
  };

  EXPECT_EQ(bad("all_reduce", R"(,"count":8)"), "");
  EXPECT_EQ(bad("all_reduce", ""), "Line 3 has no count.");
  EXPECT_EQ(bad("all_reduce", R"(,"count":-8)"), "Line 3 has no count.");
  EXPECT_EQ(bad("all_reduce", R"(,"count":8,"redop":3)"), "Line 3 has a redop that is no word.");
  EXPECT_EQ(bad("all_reduce", R"(,"count":8,"time_us":"1")"),
            "Line 3 has a time_us that is no time.");
  EXPECT_EQ(bad("broadcast", R"(,"count":8)"), "Line 3 has no peer.");
  EXPECT_EQ(bad("send", R"(,"count":8,"peer":"0")"), "Line 3 has no peer.");
  EXPECT_EQ(bad("send_recv", R"(,"count":8,"peer":0)"), "Line 3 has no source.");
}

TEST(TraceLines, NameTheRankThatIsMissing) {
  const auto call = collective(OpKind::all_reduce, {});

  EXPECT_EQ(refusal(head(3) + group_line(0, {0, 1, 2}) + call_line(0, 0, call, kTag) +
                    call_line(1, 0, call, kTag)),
            "Rank 2 of 3 is missing: the trace has no line of it.");
}

}  // namespace
}  // namespace linerate::replay
