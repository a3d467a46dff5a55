// What is printed of a search, and the hosts to leave out.
#include "pairs/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>

namespace linerate::pairs {
namespace {

using testing::HasSubstr;

std::vector<RankInfo> four_hosts() {
  std::vector<RankInfo> infos;
  for (int rank = 0; rank < 4; ++rank)
    infos.push_back({.rank = rank, .hostname = "host" + std::to_string(rank + 1), .node = rank});
  return infos;
}

class Report : public testing::Test {
 protected:
  Report() {
    const std::array nodes{0, 1, 2, 3};
    layout_ = layout_of(nodes);
    outcome_.faults = {{.kind = FaultKind::rank,
                        .ranks = {1},
                        .gbps = 0.5,
                        .expected_gbps = 1,
                        .share = 0.5,
                        .send_gbps = 0.5,
                        .receive_gbps = 0.9,
                        .tests = 6,
                        .low = 6,
                        .partners = {{0, 0.5}, {2, 0.51}},
                        .confidence = 0.99}};
  }
  Searched searched() { return {layout_, infos_, outcome_, 1 << 20, 0.95, 7}; }

  std::vector<RankInfo> infos_ = four_hosts();
  Layout layout_;
  Outcome outcome_;
};

TEST_F(Report, NamesANodeWithItsEvidence) {
  const auto text = report_text(searched());

  EXPECT_THAT(text, HasSubstr("node  host2"));
  EXPECT_THAT(text, HasSubstr("6 of 6 tests low; sends 0.5, receives 0.9; with host1 0.5"));
  EXPECT_THAT(text, HasSubstr("--exclude=host2\n"));
  EXPECT_THAT(text, HasSubstr("kubectl cordon host2\n"));
}

TEST_F(Report, LeavesNothingOutWhereNothingIsBad) {
  outcome_.faults.clear();
  outcome_.visible_share = 0.931;

  const auto text = report_text(searched());

  EXPECT_THAT(text, HasSubstr("what reaches less than 93 % would be"));
  EXPECT_THAT(text, testing::Not(HasSubstr("exclude")));
}

TEST_F(Report, AccusesNoHostOfALink) {
  outcome_.faults[0].kind = FaultKind::link;
  outcome_.faults[0].ranks = {1, 3};

  EXPECT_THAT(bad_hosts(searched()), testing::IsEmpty());
  EXPECT_THAT(report_text(searched()), HasSubstr("rank 1 (host2) and rank 3 (host4)"));
}

TEST_F(Report, IsWholeJson) {
  const auto json = nlohmann::json::parse(report_json(searched()));

  EXPECT_EQ(json["faults"][0]["kind"], "node");
  EXPECT_EQ(json["faults"][0]["hosts"][0], "host2");
  EXPECT_EQ(json["exclude"][0], "host2");
  EXPECT_EQ(json["seed"], 7);
}

TEST_F(Report, ShowsNoControlCharactersOfAHostname) {
  infos_[1].hostname = "a\x1b[2Jb; rm -r x";

  const auto text = report_text(searched());

  EXPECT_THAT(text, testing::Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("'"));
}

TEST_F(Report, SaysWhichBadHostTheHostfileDoesNotName) {
  EXPECT_EQ(hostfile_text(searched(), "10.0.0.2\n"),
            "# the hostfile does not name host2\n# the hostfile without them:\n10.0.0.2\n");
  EXPECT_EQ(hostfile_text(searched(), "host2\n"), "# the hostfile without them:\n# host2\n");
  outcome_.faults.clear();
  EXPECT_EQ(hostfile_text(searched(), "host2\n"), "# the hostfile, with all its hosts:\nhost2\n");
}

TEST(Hostfile, HasTheLinesOfBadHostsAsComments) {
  const std::array<std::string, 2> hosts{"host2", "n7.rack.example"};

  EXPECT_EQ(without_hosts("host1 slots=8\n host2 slots=8\nhost21\nn7:4\n#host2\nn7.other.example\n"
                          "host2.rack.example",
                          hosts),
            "host1 slots=8\n#  host2 slots=8\nhost21\n# n7:4\n#host2\nn7.other.example\n"
            "# host2.rack.example");
}

}  // namespace
}  // namespace linerate::pairs
