// Costs of a mesh's orders: goldens by hand, and what must always hold.
#include "topo/place/order_cost.h"

#include "support/sizes.h"
#include "support/topo/random_shape.h"
#include "topo/cluster/platforms.h"
#include "topo/model/job.h"
#include "topo/model/predict.h"
#include "topo/system/system.h"

#include <gtest/gtest.h>

#include <limits>

namespace linerate::topo {
namespace {

std::vector<OrderCost> costs(const System& node, int nnodes, const Mesh& mesh,
                             const Workload& workload = {}) {
  const auto graph = build_graph(node);
  const auto bindings = bind_ranks(graph, mesh.nranks() / nnodes);
  return costs_of_orders({graph, bindings, nnodes}, mesh, workload);
}

std::vector<OrderCost> costs_on_dgx(int nnodes, const Mesh& mesh, const Workload& workload = {}) {
  return costs(built_in_platform("dgx-h100").value(), nnodes, mesh, workload);
}

System with_nics_of(System system, double speed_mbps) {
  walk_devices(system, [&](Cpu&, PciDevice& device, int) {
    for (auto& net : device.nets) net.speed_mbps = speed_mbps;
  });
  return system;
}

std::string name(const Mesh& mesh, const OrderCost& cost) {
  return outermost_first(mesh, cost.order);
}

// tp: 4 x 32 layers x 8 micro-batches calls of 32 MiB over the eight GPUs of a node, as NCCL's
// model has them. dp: 1.75 GB between pairs of GPUs of two nodes, each pair over a NIC of its own
// of which PCIe leaves 48 GB/s; a ring of two sends every byte once. The other way round, tp has
// four GPUs of each node, whose NICs carry at most 4 x 48 GB/s where NVLinks gave 480, and dp has
// NVLinks.
TEST(OrdersOnTwoDgx, AreBestWithTpWithinTheNodeAndWorstWithItAcross) {
  const Mesh mesh{{8, 2, 1}};

  const auto orders = costs_on_dgx(2, mesh);

  ASSERT_EQ(orders.size(), 2U);
  EXPECT_EQ(name(mesh, orders[0]), "dp tp");
  const auto node = build_graph(built_in_platform("dgx-h100").value());
  const auto call = Predictor(job_of(node, 1)).predict(Function::all_reduce, 32 * kMiB);
  EXPECT_NEAR(orders[0].us(Axis::tp), 1024 * call.time_us, 1);
  EXPECT_GE(orders[0].us(Axis::dp), 1.75e9 / 48e3);
  EXPECT_LE(orders[0].us(Axis::dp), 1.75e9 / 40e3);
  EXPECT_EQ(name(mesh, orders[1]), "tp dp");
  EXPECT_GE(orders[1].us(Axis::tp), 1024 * 32 * kMiB / (4 * 48e3));
  EXPECT_GT(orders[1].us(Axis::tp), 1.5 * orders[0].us(Axis::tp));
  EXPECT_LT(orders[1].us(Axis::dp), 0.5 * orders[0].us(Axis::dp));
}

TEST(OrdersOnSixteenDgx, HaveTpInnermostWhereItIsBestAndOutermostWhereItIsWorst) {
  const Mesh mesh{{8, 4, 4}};

  const auto orders = costs_on_dgx(16, mesh, {.params = 70e9, .layers = 80, .hidden = 8192});

  ASSERT_EQ(orders.size(), 6U);
  EXPECT_EQ(orders.front().order[0], Axis::tp);
  EXPECT_EQ(orders[1].order[0], Axis::tp);
  EXPECT_NE(orders.back().order[0], Axis::tp);
  EXPECT_GT(orders.back().total_us(), 2 * orders.front().total_us());
}

// Eight pairs of stages on neighbouring nodes, each GPU with a NIC of its own at 48 GB/s: 64 MiB
// of activations sixteen times.
TEST(OrdersOnSixteenDgx, PayForMessagesBetweenNodes) {
  const Mesh mesh{{8, 1, 16}};
  const Workload workload{.layers = 80, .hidden = 8192};

  const auto orders = costs_on_dgx(16, mesh, workload);

  EXPECT_EQ(name(mesh, orders[0]), "pp tp");
  EXPECT_NEAR(orders[0].us(Axis::pp), 16 * 64 * kMiB / 48e3, 16 * 30);  // latencies below 30 us
}

// Two GPUs of a node share a NIC, of which PCIe 3.0 x16 leaves 12 GB/s, and 75 us of latency.
TEST(OrdersOnSharedNics, CostTheShare) {
  const Workload workload{};
  const auto p4d = built_in_platform("aws-p4d").value();
  const auto bytes = static_cast<double>(32 * kMiB);

  const auto orders = costs(p4d, 2, {{8, 1, 2}}, workload);

  EXPECT_NEAR(orders[0].us(Axis::pp), 16 * (bytes / (12e3 / 2) + 75), 16 * 30);
}

// Any order but one that is the best is as dear or dearer, and every total is its axes' sum.
TEST(CostsOfOrders, AreSortedAndComplete) {
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    auto shape = random_shape(seed);
    if (shape.nics == 0) shape.nics = 1;
    const auto graph = build_graph(system_of(shape));
    const int gpus = max_ranks(graph);
    const Mesh mesh{{gpus % 2 == 0 ? 2 : 1, gpus % 2 == 0 ? gpus / 2 : gpus, 2}};
    const auto all = costs_of_orders({graph, bind_ranks(graph, gpus), 2}, mesh, {});

    EXPECT_EQ(all.size(), orders_of(mesh).size());
    for (const auto& cost : all) {
      EXPECT_GE(cost.total_us(), all.front().total_us()) << seed;
      EXPECT_LE(cost.total_us(), all.back().total_us()) << seed;
      for (const Axis axis : kAllAxes)
        EXPECT_EQ(cost.us(axis) > 0, mesh.size(axis) > 1) << seed << name_of(axis);
    }
  }
}

TEST(CostsOfOrders, NeverRiseWithFasterNics) {
  for (const auto* platform : {"dgx-h100", "aws-p4d", "pcie-8xl40s"}) {
    const auto node = built_in_platform(platform).value();
    for (const Mesh& mesh : {Mesh{{8, 2, 1}}, Mesh{{2, 4, 2}}}) {
      double before = std::numeric_limits<double>::max();
      for (const double mbps : {100e3, 200e3, 400e3}) {
        const auto best = costs(with_nics_of(node, mbps), 2, mesh).front().total_us();
        EXPECT_LE(best, before * (1 + 1e-9)) << platform << " at " << mbps;
        before = best;
      }
    }
  }
}

// Seven ranks on each node: groups of six begin at another GPU on every one.
TEST(CostsOfOrders, LeaveNodesOutWhereThereAreTooManySearches) {
  const auto graph = build_graph(built_in_platform("pcie-8xl40s").value());
  const auto bindings = bind_ranks(graph, 7);
  const Mesh mesh{{6, 7, 1}};

  const auto all = costs_of_orders({graph, bindings, 6}, mesh, {});
  const auto few = costs_of_orders({graph, bindings, 6, 1}, mesh, {});

  EXPECT_GT(few.front().us(Axis::tp), 0);
  EXPECT_LT(few.front().us(Axis::tp), all.front().us(Axis::tp));
}

TEST(CostsOfOrders, RiseWithTheTraffic) {
  const Mesh mesh{{4, 2, 2}};

  const auto small = costs_on_dgx(2, mesh), large = costs_on_dgx(2, mesh, {.params = 70e9});

  EXPECT_GT(large.front().us(Axis::dp), 5 * small.front().us(Axis::dp));
}

}  // namespace
}  // namespace linerate::topo
