// How results go from size to size, and what named hardware should reach.
#include "example.h"
#include "topo/cluster/platforms.h"

#include <nlohmann/json.hpp>

#include <fstream>

namespace linerate::results {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using Change = std::function<void(std::vector<ExampleRow>&)>;

ExampleTable changed(const Change& change) {
  ExampleTable table;
  change(table.rows);
  return table;
}

constexpr std::size_t kRow4Mi = 19;

TEST(SlowSizes, AreAFaultWhereBothPlacementsShowThem) {
  const auto text = text_of(changed([](auto& rows) {
    for (auto* us : {&rows[kRow4Mi].us, &rows[kRow4Mi].in_place_us}) *us *= 4.5;
  }));

  const auto findings = found_in(text);

  ASSERT_THAT(faults_of(findings), ElementsAre("warning slow-sizes"));
  EXPECT_THAT(findings[0].subject, AllOf(HasSubstr("4 MiB"), HasSubstr("both placements")));
}

TEST(SlowSizes, OfOnePlacementAreANoteUnlessTheyAreMuchSlower) {
  const auto slow = [](double times) {
    return text_of(changed([&](auto& rows) { rows[9].us *= times; }));
  };

  EXPECT_THAT(faults_in(slow(2.5)), IsEmpty());
  EXPECT_TRUE(has_rule(slow(2.5), "slow-sizes"));
  EXPECT_THAT(faults_in(slow(5)), ElementsAre("warning slow-sizes"));
  EXPECT_FALSE(has_rule(slow(1.5), "slow-sizes"));
}

TEST(SlowSizes, HaveABandwidthBelowThatOfSmallerOnes) {
  const auto text = text_of(changed([](auto& rows) {
    for (auto* us : {&rows[23].us, &rows[23].in_place_us}) *us = 64 * 1.75 * 1048576 / 120e3;
  }));

  EXPECT_THAT(faults_in(text), ElementsAre("warning slow-sizes"));
}

TEST(SlowSizes, OfHostMemoryAreANote) {
  auto table = changed([](auto& rows) { rows[9].us *= 9; });
  table.device = "host memory (Example CPU)";

  EXPECT_TRUE(has_rule(text_of(table), "slow-sizes"));
  EXPECT_THAT(faults_in(text_of(table)), IsEmpty());
}

TEST(SlowSizes, AreToldThreeTimesAtMost) {
  const auto text = text_of(changed([](auto& rows) {
    for (std::size_t i = 2; i < 16; i += 2) rows[i].us *= 9;
  }));

  const auto findings = found_in(text);

  ASSERT_EQ(faults_of(findings).size(), 3u);
  EXPECT_THAT(findings[2].evidence, HasSubstr("So are 4 more"));
}

TEST(SlowFirstSize, IsANote) {
  const auto text = text_of(changed([](auto& rows) { rows[0].us = 900; }));

  EXPECT_TRUE(has_rule(text, "slow-first-size"));
  EXPECT_THAT(faults_in(text), IsEmpty());
}

TEST(FallsAtLargeSizes, BelowHalfOfTheBest) {
  const Change fall = [](auto& rows) {
    for (auto i = rows.size() - 2; i < rows.size(); ++i) rows[i].us *= 2.6;
  };
  auto host = changed(fall);
  host.device = "host memory (Example CPU)";

  EXPECT_THAT(faults_in(text_of(changed(fall))), ElementsAre("warning falls-at-large-sizes"));
  EXPECT_THAT(faults_in(text_of(host)), IsEmpty());
}

TEST(PlacementsDiffer, AtTheMedianLargeSize) {
  const auto slower = [](double times) {
    return text_of(changed([&](auto& rows) {
      for (auto& row : rows) row.in_place_us = row.us * times;
    }));
  };

  EXPECT_THAT(faults_in(slower(1.7)), ElementsAre("warning placements-differ"));
  EXPECT_THAT(faults_in(slower(0.5)), ElementsAre("warning placements-differ"));
  EXPECT_THAT(faults_in(slower(1.3)), IsEmpty());
}

TEST(SlowSmallSizes, TakeLongerThanTheTransport) {
  const auto slower = [](double us, int nhosts) {
    auto table = changed([&](auto& rows) {
      for (auto& row : rows) row.us += us, row.in_place_us += us;
    });
    table.nhosts = nhosts;
    return text_of(table);
  };

  EXPECT_THAT(faults_in(slower(500, 1)),
              ElementsAre("warning slow-small-sizes", "warning slow-small-sizes"));
  EXPECT_THAT(faults_in(slower(500, 2)), IsEmpty());
  EXPECT_THAT(faults_in(slower(5000, 2)),
              ElementsAre("warning slow-small-sizes", "warning slow-small-sizes"));
}

TEST(AverageMisleads, WhereSmallSizesCount) {
  auto large = changed([](auto& rows) { rows.erase(rows.begin(), rows.end() - 2); });

  EXPECT_TRUE(has_rule(text_of({}), "average-misleads"));
  EXPECT_FALSE(has_rule(text_of(large), "average-misleads"));
}

Hardware dgx_h100(int nnodes) {
  return {.system = *topo::built_in_platform("dgx-h100"), .nnodes = nnodes};
}

// A table that reaches this share of what eight H100 should.
std::string share_of_expected(double share) {
  auto run = read(text_of({})).at(0);
  add_expectations(run, dgx_h100(1));
  EXPECT_EQ(run.not_judged, "");
  ExampleTable table;
  table.rows.clear();
  for (std::size_t i = 0; i < run.results.size(); i += 2) {
    const auto& r = run.results[i];
    if (!r.expected || r.what.bytes < 65536) continue;
    const double us =
        gbps_of(static_cast<double>(r.what.bytes) * 1.75, 1.0) / (r.expected->busbw_gbps * share);
    table.rows.push_back({r.what.bytes, us, us});
  }
  return text_of(table);
}

std::vector<std::string> faults_on(const Hardware& hardware, const std::string& text) {
  auto run = read(text).at(0);
  add_expectations(run, hardware);
  EXPECT_TRUE(run.judged) << run.not_judged;
  return faults_of(examine(run));
}

TEST(NamedHardware, SaysWhichResultsAreTooSlow) {
  EXPECT_THAT(faults_on(dgx_h100(1), share_of_expected(1)), IsEmpty());
  EXPECT_THAT(faults_on(dgx_h100(1), share_of_expected(0.4)),
              ElementsAre("warning below-expected"));
}

TEST(NamedHardware, ShowsTheBandOfEachSize) {
  auto runs = read(share_of_expected(0.4));
  add_expectations(runs[0], dgx_h100(1));

  EXPECT_THAT(report_text(runs, examine(runs[0])),
              AllOf(HasSubstr(" 134217728  in place "), HasSubstr("  low\n"),
                    HasSubstr("warning: below-expected: file: ")));
  const auto json = nlohmann::json::parse(report_json(runs, examine(runs[0])));
  EXPECT_EQ(json["kind"], "doctor_results");
  EXPECT_EQ(json["runs"][0]["judged"][0]["verdict"], "low");
  EXPECT_EQ(json["findings"][0]["rule"], "below-expected");
}

TEST(NamedHardware, IsSilentOnWhatItDoesNotFit) {
  auto host = ExampleTable{.device = "host memory (Example CPU)"};
  const std::pair<ExampleTable, int> cases[] = {
      {host, 1}, {{.nranks = 16}, 1}, {{.nranks = 9}, 2}, {{.program = "unheard_of"}, 1}};
  for (const auto& [table, nnodes] : cases) {
    auto as_known = table;
    as_known.program = "all_reduce_perf";
    auto text = text_of(as_known);
    if (table.program != as_known.program) text = replaced(text, as_known.program, table.program);
    auto run = read(text).at(0);
    add_expectations(run, dgx_h100(nnodes));
    EXPECT_FALSE(run.judged);
    EXPECT_THAT(run.not_judged, Not(IsEmpty()));
  }
}

TEST(NamedHardware, TellsTheCollectiveOfOldTables) {
  auto run = read(text_of({.layout = Layout::old_error})).at(0);
  add_expectations(run, dgx_h100(1));

  EXPECT_TRUE(run.judged) << run.not_judged;
}

// What others published, as tables.
struct Published {
  std::string id{}, state{};
  ExampleTable table{};
  Hardware hardware{};
};

Published published_of(const nlohmann::json& one) {
  const auto* collective = find_collective(one["collective"].get<std::string>());
  const int nodes = one["nodes"];
  Published read{.id = one["id"], .state = one["state"]};
  read.hardware = {.system = *topo::built_in_platform(one["platform"].get<std::string>()),
                   .nnodes = nodes};
  const auto version = topo::parse_nccl_version(one["nccl"].get<std::string>());
  if (version) read.hardware.nccl = *version;
  read.table = {
      .rows = {}, .program = std::string(collective->binary), .nranks = 8 * nodes, .nhosts = nodes};
  for (const auto& [size, busbw] : one["busbw_gbps"].items()) {
    const auto bytes = *parse_bytes("size", size);
    const double us = static_cast<double>(bytes) * collective->bus_factor(8 * nodes) /
                      (busbw.get<double>() * 1e3);
    read.table.rows.push_back({bytes, us, us});
  }
  std::ranges::sort(read.table.rows, {}, &ExampleRow::bytes);
  return read;
}

std::vector<Published> published(std::string_view state) {
  std::ifstream file(LINERATE_SOURCE_DIR "/topo/calibration/published.json");
  const auto document = nlohmann::json::parse(file);
  std::vector<Published> all;
  for (const auto& one : document["tables"])
    if (one["state"] == state) all.push_back(published_of(one));
  return all;
}

TEST(PublishedResults, ThatAreHealthyHaveNoFault) {
  const auto healthy = published("healthy");

  EXPECT_GT(healthy.size(), 80u);
  for (const auto& one : healthy) {
    const bool has_a_cliff = one.id == "h100-8-309";  // 8 MiB takes 3.4 times as long as 16 MiB
    const auto faults = faults_in(text_of(one.table));
    EXPECT_EQ(faults.size(), has_a_cliff ? 1u : 0u) << one.id << testing::PrintToString(faults);
  }
}

// Of named hardware, where it has a model.
std::vector<std::string> below_expected(std::string_view state, std::size_t& judged) {
  std::vector<std::string> ids;
  judged = 0;
  for (const auto& one : published(state)) {
    auto run = read(text_of(one.table)).at(0);
    add_expectations(run, one.hardware);
    if (!run.judged) continue;
    ++judged;
    for (const auto& fault : faults_of(examine(run)))
      if (fault.ends_with("below-expected")) ids.push_back(one.id);
  }
  return ids;
}

TEST(PublishedResults, AreJudgedByTheirState) {
  std::size_t judged = 0;

  const auto healthy = below_expected("healthy", judged);
  EXPECT_GT(judged, 70u);
  EXPECT_LE(healthy.size(), judged / 20) << testing::PrintToString(healthy);
  const auto low = below_expected("low", judged);
  EXPECT_EQ(low.size(), judged) << testing::PrintToString(low);
}

}  // namespace
}  // namespace linerate::results
