// The events of a made-up step.
#include "trainers/programs/trace_events.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <string>
#include <vector>

namespace linerate {
namespace {

using nlohmann::json;
using trainers::Work;

trainers::StepSpans spans() {
  return {.step = {5'000'000, 9'000'000},
          .work = {{{.work = Work::forward, .unit = 1, .micro_batch = 2}, {5'000'000, 6'000'000}},
                   {{.work = Work::optimizer}, {8'000'000, 8'500'000}}},
          .waits = {{.at = {6'000'500, 7'000'000}}},
          .calls = {{.axis = "dp",
                     .purpose = "gradient all_reduce",
                     .stream = "dp",
                     .bytes = 4096,
                     .start_ns = 5'500'000,
                     .end_ns = 7'000'000,
                     .last_start_ns = 6'500'001,
                     .last_rank = 3}}};
}

json events_of(TraceEvents& events, std::int64_t step) {
  auto text = trace_head("{}");
  text += events.of({.step = step, .loss = 1.5}, spans(), 4'000'000);
  text += kTraceTail;
  return json::parse(text)["traceEvents"];
}

json named(const json& events, const std::string& name) {
  for (const auto& event : events)
    if (event["name"] == name && event["ph"] == "X") return event;
  return {};
}

TEST(TraceEvents, HaveTheKeysOfCompleteEvents) {
  TraceEvents events(2, "node7", {"embeddings", "block0", "final norm"});

  const auto forward = named(events_of(events, 4), "forward block0");

  EXPECT_EQ(forward["ts"], 1000.0);
  EXPECT_EQ(forward["dur"], 1000.0);
  EXPECT_EQ(forward["pid"], 3);  // no process is 0
  EXPECT_EQ(forward["cat"], "compute");
  EXPECT_EQ(forward["args"], (json{{"step", 4}, {"micro_batch", 2}}));
}

TEST(TraceEvents, SayWhatACallWasForAndWhomItWaitedFor) {
  TraceEvents events(2, "node7", {"embeddings", "block0", "final norm"});

  const auto all = events_of(events, 4);
  const auto call = named(all, "gradient all_reduce");
  const auto wait = named(all, "wait for rank 3");

  EXPECT_EQ(call["args"], (json{{"step", 4}, {"axis", "dp"}, {"bytes", 4096}, {"last_rank", 3}}));
  EXPECT_EQ(call["dur"], 1500.0);
  EXPECT_EQ(wait["tid"], call["tid"]);
  EXPECT_EQ(wait["ts"], call["ts"]);
  EXPECT_DOUBLE_EQ(wait["dur"], 1000.001);
  EXPECT_EQ(named(all, "wait")["args"]["for"], "gradient all_reduce");
}

TEST(TraceEvents, NameProcessAndThreadsOnce) {
  TraceEvents events(2, "node7", {"embeddings", "block0", "final norm"});
  std::vector<std::string> names;
  for (const std::int64_t step : {4, 5})
    for (const auto& event : events_of(events, step))
      if (event["ph"] == "M" && event["args"].contains("name"))
        names.push_back(event["args"]["name"]);

  EXPECT_EQ(names,
            (std::vector<std::string>{"rank 2", "steps", "compute", "communication, axis dp"}));
}

TEST(TraceEvents, AreJsonWhereALossIsNone) {
  TraceEvents events(0, "a\"b", {"embeddings", "block0", "final norm"});

  const auto text = events.of({.step = 1, .loss = std::nan("")}, spans(), 0);

  EXPECT_TRUE(json::accept("[" + text + "]"));
}

}  // namespace
}  // namespace linerate
