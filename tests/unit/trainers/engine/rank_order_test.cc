// Orders of the axes of a mesh, and placements that number its ranks.
#include "trainers/engine/rank_order.h"

#include "trainers/engine/plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace linerate::trainers {
namespace {

constexpr MeshShape kShape{2, 1, 2, 3};  // 12 ranks

std::vector<int> places_of(const char* order, const MeshShape& shape) {
  std::vector<int> places;
  const auto nranks = static_cast<int>(shape[0] * shape[1] * shape[2] * shape[3]);
  for (int rank = 0; rank < nranks; ++rank)
    places.push_back(place_of(shape, *parse_order(order), rank));
  return places;
}

TEST(RankOrder, CountsTheFirstAxisFastest) {
  std::vector<int> usual(12);
  std::iota(usual.begin(), usual.end(), 0);

  EXPECT_EQ(places_of("tp-cp-dp-pp", kShape), usual);
  // Neighbours are stages, which are 4 apart in the usual order, then data-parallel ranks, 2 apart.
  EXPECT_EQ(places_of("pp-dp-tp", kShape), (std::vector{0, 4, 8, 2, 6, 10, 1, 5, 9, 3, 7, 11}));
  EXPECT_EQ(places_of("dp-tp", {2, 1, 3, 1}), (std::vector{0, 2, 4, 1, 3, 5}));
}

TEST(RankOrder, GivesEachRankAPlaceOfItsOwnInEveryOrder) {
  const MeshShape shape{2, 3, 2, 2};
  auto names = kMeshAxes;
  std::ranges::sort(names);
  std::set<std::vector<int>> all;
  do {
    const auto order = fmt::format("{}-{}-{}-{}", names[0], names[1], names[2], names[3]);
    auto places = places_of(order.c_str(), shape);
    all.insert(places);
    for (int rank = 0; rank < 24; ++rank)
      EXPECT_EQ(rank_at({.axes = order}, shape, places[static_cast<std::size_t>(rank)]), rank);
    std::ranges::sort(places);
    for (int i = 0; i < 24; ++i) ASSERT_EQ(places[static_cast<std::size_t>(i)], i) << order;
    EXPECT_EQ(text_of(*parse_order(order)), order);
  } while (std::ranges::next_permutation(names).found);
  EXPECT_EQ(all.size(), 24u);
}

TEST(RankOrder, RefusesAxesThatAreNoneAndTwice) {
  EXPECT_EQ(parse_order("tp-dq").sentence(),
            "Unknown axis 'dq': choose one of tp, cp, dp, pp. Did you mean 'dp'?");
  EXPECT_EQ(parse_order("tp-dp-tp").sentence(), "The order 'tp-dp-tp' has tp twice.");
}

TEST(RankOrder, RefusesToLeaveOutAnAxisOfSeveralRanks) {
  EXPECT_EQ(order_refusal({.axes = "tp-pp"}, {2, 1, 1, 2}), std::nullopt);
  EXPECT_EQ(order_refusal({.axes = "tp-pp"}, kShape),
            "--order tp-pp says nothing of dp, which has 2 ranks: add it.");
}

// As linerate topo place writes it, in the order dp, tp, pp.
nlohmann::json placement(int tp, int dp, int pp) {
  nlohmann::json json{{"kind", "placement"}, {"mesh", {{"tp", tp}, {"dp", dp}, {"pp", pp}}}};
  for (int rank = 0; rank < tp * dp * pp; ++rank)
    json["ranks"].push_back(
        {{"rank", rank}, {"dp", rank % dp}, {"tp", rank / dp % tp}, {"pp", rank / dp / tp}});
  return json;
}

TEST(RankPlaces, AreThoseOfAPlacement) {
  const auto places = read_rank_places(placement(2, 3, 2).dump());

  ASSERT_TRUE(places) << places.sentence();
  EXPECT_EQ(places->tp, 2u);
  EXPECT_EQ(places->pp, 2u);
  EXPECT_EQ(places->places, places_of("dp-tp-pp", {2, 1, 3, 2}));
  EXPECT_EQ(rank_at({.given = *places}, {2, 1, 3, 2}, places->places[4]), 4);
}

TEST(RankPlaces, MakeThePositionsOfARun) {
  TrainConfig config{.model = *model_named("nano"), .tp = 2, .cp = 3, .pp = 2};
  config.order.given = *read_rank_places(placement(2, 3, 2).dump());

  const auto position = position_of(config, 4, 12);

  EXPECT_EQ(position.tensor.rank, 1u);
  EXPECT_EQ(position.sequence.rank, 1u);
  EXPECT_EQ(position.stage, 0);
}

TEST(RankPlaces, AreRefusedWhereTheyDoNotFitTheRun) {
  const RankOrder order{.given = *read_rank_places(placement(2, 3, 2).dump())};

  EXPECT_EQ(order_refusal(order, {2, 1, 3, 2}), std::nullopt);
  EXPECT_EQ(order_refusal(order, {2, 3, 1, 2}), std::nullopt);  // dp is cp and dp
  EXPECT_EQ(order_refusal(order, {2, 1, 2, 2}),
            "--rank-order is for 12 ranks, and this run has 8: ask `linerate topo place --nranks "
            "8`.");
  EXPECT_EQ(order_refusal(order, {4, 1, 3, 1}),
            "--rank-order is for --tp 2 --pp 2, and this run has --tp 4 --pp 1: ask `linerate topo "
            "place` for these.");
}

TEST(RankPlaces, RefuseWhatIsNoWholePlacement) {
  constexpr auto* kNone = "It is what `linerate topo place --format json` prints that is read.";
  const auto twice = [] {
    auto json = placement(2, 2, 1);
    json["ranks"][1] = json["ranks"][0];
    return json;
  }();
  auto few = placement(2, 2, 1);
  few["ranks"].erase(3);
  auto beyond = placement(2, 2, 1);
  beyond["ranks"][0]["tp"] = 2;
  auto huge = placement(2, 2, 1);
  huge["mesh"]["tp"] = 1 << 20;
  for (const auto& text : {std::string("[]"), std::string("{"), std::string(), twice.dump(),
                           few.dump(), beyond.dump(), huge.dump()}) {
    const auto places = read_rank_places(text);
    ASSERT_FALSE(places) << text;
    EXPECT_NE(places.sentence().find(kNone), std::string::npos) << places.sentence();
  }
}

}  // namespace
}  // namespace linerate::trainers
