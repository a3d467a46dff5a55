// What --measure prints of nodes and links that are made up.
#include "commands/survey_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace linerate {
namespace {

using testing::HasSubstr;
using testing::Not;

MeasuredNode node(const std::string& name, double copy_gbps) {
  return {.hostname = name,
          .hardware = "a Xeon",
          .survey = {.nthreads = 2,
                     .by_size = {{.bytes = 1 << 16, .of = {400, 200, 300, 350}},
                                 {.bytes = 1 << 20, .of = {20, 10, copy_gbps, 15}},
                                 {.bytes = 1 << 21, .of = {20, 10, copy_gbps, 15}}},
                     .by_cores = {{.nthreads = 1, .nmemory_nodes = 1, .of = {11, 6, 7, 8}},
                                  {.nthreads = 2, .nmemory_nodes = 2, .of = {20, 10, 14, 15}}},
                     .lines = {{.between = "one L3 cache", .second = 1, .round_trip_ns = 123}}}};
}

TEST(SurveyTexts, ShowSizesCoresAndLines) {
  const auto text = survey_text(std::vector{node("n1", 14)});

  EXPECT_THAT(text, HasSubstr("n1: a Xeon"));
  EXPECT_THAT(text, HasSubstr("64 KiB     400.0     200.0     300.0     350.0\n"));
  EXPECT_THAT(text, HasSubstr("From 1 MiB on it is memory's."));
  EXPECT_THAT(text, HasSubstr("15.0   on 2 memory nodes\n"));
  EXPECT_THAT(text, HasSubstr("123  threads 0 and 1, which share one L3 cache"));
  EXPECT_THAT(text, Not(HasSubstr("each node")));
}

TEST(SurveyTexts, NameTheNodeWhoseMemoryIsSlow) {
  auto other = node("n3", 14);
  other.hardware = "an Epyc";

  const auto text = survey_text(std::vector{node("n1", 14), node("n2", 7), other});

  EXPECT_THAT(text, HasSubstr("7.0  n2   only 0.50 of n1\n"));
  EXPECT_THAT(text, HasSubstr("14.0  n3   other hardware: an Epyc\n"));
}

std::vector<NodeLink> three_links() {
  return {{.first = 0, .second = 1, .address = "10.0.0.1", .speed = {50, 1.1, 2.5, 2.5}},
          {.first = 0, .second = 2, .address = "10.0.0.1", .speed = {40, 0.6, 1.0, 1.0}},
          {.first = 1, .second = 2, .failure = "no route"}};
}

TEST(LinkTexts, NameTheSlowestAndTheFarthest) {
  const std::vector nodes{node("n1", 1), node("n2", 1), node("n3", 1)};

  const auto text = links_text(three_links(), nodes);

  EXPECT_THAT(text, HasSubstr("Slowest: n1 - n3, 0.40 of the fastest."));
  EXPECT_THAT(text, HasSubstr("Farthest: n1 - n2, 50.0 us."));
  EXPECT_THAT(text, HasSubstr("not measured  n2 - n3: no route"));
  EXPECT_EQ(links_text({}, nodes), "");
}

TEST(MeasuredJson, HoldsAllOfIt) {
  const std::vector nodes{node("n1", 14), node("n2", 14), node("n3", 14)};

  const auto json = nlohmann::json::parse(measured_json(nodes, three_links()));

  EXPECT_EQ(json["nodes"].size(), 3U);
  EXPECT_EQ(json["nodes"][0]["cache_end_bytes"], 1 << 20);
  EXPECT_EQ(json["nodes"][0]["survey"]["by_size"][0]["read_gbps"], 400);
  EXPECT_EQ(json["tcp"][0]["all_streams_gbps"], 2.5);
  EXPECT_EQ(json["tcp"][2]["failure"], "no route");
}

}  // namespace
}  // namespace linerate
