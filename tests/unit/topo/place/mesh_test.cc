// Orders of a mesh, and what its axes send.
#include "topo/place/mesh.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace linerate::topo {
namespace {

TEST(MeshOrders, AreSixWithThreeAxesAndTwoWithTwo) {
  EXPECT_EQ(orders_of({{2, 2, 2}}).size(), 6U);
  EXPECT_EQ(orders_of({{8, 2, 1}}).size(), 2U);
  EXPECT_EQ(orders_of({{1, 16, 1}}).size(), 1U);
  EXPECT_EQ(orders_of({{1, 1, 1}}).size(), 1U);
}

TEST(MeshOrders, AreToldFromTheOutermostAxis) {
  EXPECT_EQ(outermost_first({{8, 2, 4}}, kAllAxes), "pp dp tp");
  EXPECT_EQ(outermost_first({{8, 2, 1}}, kAllAxes), "dp tp");
  EXPECT_EQ(outermost_first({}, kAllAxes), "none");
}

TEST(MeshOrders, GiveEveryRankItsOwnPlace) {
  const Mesh mesh{{2, 3, 4}};

  for (const auto& order : orders_of(mesh)) {
    std::set<std::tuple<int, int, int>> places;
    for (int rank = 0; rank < mesh.nranks(); ++rank)
      places.insert({coordinate_of(mesh, order, Axis::tp, rank),
                     coordinate_of(mesh, order, Axis::dp, rank),
                     coordinate_of(mesh, order, Axis::pp, rank)});
    EXPECT_EQ(places.size(), 24U);
    EXPECT_EQ(coordinate_of(mesh, order, order[0], 1), 1);  // the innermost varies fastest
  }
}

// By hand: 4096 tokens x 4096 x 2 bytes are 32 MiB.
TEST(TrafficOfATransformer, IsThatOfItsFormulas) {
  const Workload workload{.params = 7e9, .layers = 30, .micro_batches = 8};
  const Mesh mesh{{4, 2, 4}};

  const auto tp = traffic_of(workload, mesh, Axis::tp);
  const auto dp = traffic_of(workload, mesh, Axis::dp);
  const auto pp = traffic_of(workload, mesh, Axis::pp);

  EXPECT_EQ(tp.bytes, std::size_t{32} << 20);
  EXPECT_EQ(tp.calls, 4 * 8 * 8);  // 30 layers in 4 stages: 8 in the largest
  EXPECT_EQ(dp.bytes, 875000000U);
  EXPECT_EQ(dp.calls, 1);
  EXPECT_EQ(pp.bytes, std::size_t{32} << 20);
  EXPECT_EQ(pp.calls, 16);
}

TEST(TrafficOfATransformer, NeedsAnAxisOfSeveralRanks) {
  for (const Axis axis : kAllAxes) EXPECT_EQ(traffic_of({}, Mesh{}, axis).calls, 0);
}

}  // namespace
}  // namespace linerate::topo
