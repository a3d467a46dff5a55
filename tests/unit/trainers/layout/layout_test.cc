// Ranks in a mesh, the parts of tensors that they hold, and the order of changes between layouts.
#include "trainers/layout/redistribution.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace linerate::trainers {
namespace {

TEST(Mesh, NumbersRanksAlongItsFirstAxisFirst) {
  const Mesh mesh({{"tp", 2}, {"dp", 3}, {"pp", 2}});

  EXPECT_EQ(mesh.nranks(), 12u);
  EXPECT_EQ(mesh.coordinate(1, 0), 1u);
  EXPECT_EQ(mesh.coordinate(2, 1), 1u);
  EXPECT_EQ(mesh.coordinate(11, 1), 2u);
  EXPECT_EQ(mesh.coordinate(6, 2), 1u);
  EXPECT_EQ(mesh.moved(11, 1, 0), 7u);
}

TEST(Mesh, GroupsAreTheRanksAlongAnAxis) {
  const Mesh mesh({{"tp", 2}, {"dp", 3}});
  std::set<std::size_t> groups;
  for (std::size_t rank = 0; rank < 6; ++rank) groups.insert(mesh.group(rank, 1));

  EXPECT_EQ(groups.size(), 2u);
  EXPECT_EQ(mesh.group(1, 1), mesh.group(5, 1));
  EXPECT_NE(mesh.group(0, 1), mesh.group(5, 1));
}

// Ranks 0 to 11; those that differ along the replicated axes alone hold the same.
TEST(Copies, AreTheRanksAlongAllAxesThatReplicate) {
  const Mesh mesh({{"tp", 2}, {"dp_shard", 3}, {"dp_replicate", 2}});
  const Placements placements{replicate(), shard(0), replicate()};
  const Layout layout{.shape = {7}, .placements = placements};
  std::set<std::pair<std::size_t, std::size_t>> seen;  // where the part begins, and the place
  for (std::size_t rank = 0; rank < mesh.nranks(); ++rank) {
    const auto copies = copies_of(placements, mesh, rank);

    EXPECT_EQ(copies.count, 4u);
    EXPECT_LT(copies.place, copies.count);
    seen.emplace(box_of(layout, mesh, rank).offset[0], copies.place);
  }
  EXPECT_EQ(seen.size(), mesh.nranks());
}

TEST(Copies, AreAllRanksOnAMeshWithoutShards) {
  const Mesh mesh({{"dp_shard", 1}, {"dp_replicate", 5}});

  EXPECT_EQ(copies_of({replicate(), replicate()}, mesh, 3).count, 5u);
  EXPECT_EQ(copies_of({replicate(), replicate()}, mesh, 3).place, 3u);
}

TEST(BoxOf, SplitsInPartsOfOneSizeButForTheLastOnes) {
  const Mesh mesh({{"dp", 4}});
  const Layout layout{.shape = {5, 3}, .placements = {shard(0)}};

  EXPECT_EQ(box_of(layout, mesh, 0), (Box{{0, 0}, {2, 3}}));
  EXPECT_EQ(box_of(layout, mesh, 2), (Box{{4, 0}, {1, 3}}));
  EXPECT_EQ(box_of(layout, mesh, 3).count(), 0u);
}

TEST(BoxOf, SplitsAgainWhatAnAxisBeforeLeft) {
  const Mesh mesh({{"tp", 2}, {"dp", 2}});
  const Layout layout{.shape = {8}, .placements = {shard(0), shard(0)}};

  EXPECT_EQ(box_of(layout, mesh, 1), (Box{{4}, {2}}));
  EXPECT_EQ(box_of(layout, mesh, 2), (Box{{2}, {2}}));
}

TEST(BoxOf, IsAllWhereNothingIsSplit) {
  const Mesh mesh({{"tp", 2}, {"dp", 2}});
  for (std::size_t rank = 0; rank < 4; ++rank)
    EXPECT_EQ(box_of({.shape = {7, 2}, .placements = {partial(), replicate()}}, mesh, rank),
              (Box{{0, 0}, {7, 2}}));
}

// Every element as often as there are ranks that hold the same.
TEST(BoxOf, OfAllRanksAreTheTensor) {
  const Mesh mesh({{"a", 3}, {"b", 2}, {"c", 2}});
  for (const std::size_t rows : {1u, 2u, 5u, 11u, 13u}) {
    const Layout layout{.shape = {rows, 7}, .placements = {shard(0), shard(1), shard(0)}};
    std::multiset<std::size_t> seen;
    for (std::size_t rank = 0; rank < mesh.nranks(); ++rank) {
      const auto box = box_of(layout, mesh, rank);
      for (std::size_t i = 0; i < box.shape[0]; ++i)
        for (std::size_t j = 0; j < box.shape[1]; ++j)
          seen.insert((box.offset[0] + i) * 7 + box.offset[1] + j);
    }
    ASSERT_EQ(seen.size(), rows * 7) << rows;
    EXPECT_EQ(std::set(seen.begin(), seen.end()).size(), seen.size()) << rows;
  }
}

TEST(Transitions, ChangeWhatDiffersAndNothingElse) {
  using Steps = std::vector<Transition>;
  EXPECT_EQ(transitions({shard(0), replicate()}, {shard(0), replicate()}), Steps{});
  EXPECT_EQ(transitions({partial(), shard(1)}, {shard(0), shard(1)}),
            (Steps{{0, partial(), shard(0)}}));
  EXPECT_EQ(transitions({shard(0), shard(0)}, {shard(0), shard(1)}),
            (Steps{{1, shard(0), shard(1)}}));
}

TEST(Transitions, GatherAnInnerAxisFirstWhereTheOuterOneOfItsDimensionChanges) {
  using Steps = std::vector<Transition>;
  EXPECT_EQ(transitions({shard(0), shard(0)}, {replicate(), replicate()}),
            (Steps{{1, shard(0), replicate()}, {0, shard(0), replicate()}}));
  EXPECT_EQ(
      transitions({partial(), shard(0)}, {shard(0), shard(0)}),
      (Steps{{1, shard(0), replicate()}, {0, partial(), shard(0)}, {1, replicate(), shard(0)}}));
}

TEST(RedistributionSends, AreTheFormulasOfTheCalls) {
  const Mesh mesh({{"dp", 4}});
  const auto sends = [&](std::vector<std::size_t> shape, Placement from, Placement to) {
    return redistribution_sends({.shape = std::move(shape), .placements = {from}}, {to}, mesh, 1);
  };

  EXPECT_EQ(sends({8, 3}, shard(0), replicate()), 3u * 6);
  EXPECT_EQ(sends({9, 3}, shard(0), replicate()), 3u * 9);  // parts of three rows
  EXPECT_EQ(sends({8, 3}, partial(), shard(0)), 3u * 6);
  EXPECT_EQ(sends({8, 3}, partial(), replicate()), 2u * 18);
  EXPECT_EQ(sends({8, 4}, shard(0), shard(1)), 8u - 2);
  EXPECT_EQ(sends({8, 4}, replicate(), shard(1)), 0u);
}

}  // namespace
}  // namespace linerate::trainers
