// The table: names, counts and sizes as nccl-tests prints them, bus factors.
#include "collectives/collective.h"
#include "collectives/traffic.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace linerate {
namespace {

const Collective& row(std::string_view name) {
  const auto* found = find_collective(name);
  EXPECT_NE(found, nullptr) << name;
  return *found;
}

TEST(Table, GivesEachCollectiveANameAndABinaryOfItsOwn) {
  std::set<std::string_view> names;
  for (const auto* c : all_collectives()) names.insert({c->name, c->binary});

  EXPECT_EQ(names.size(), 2 * all_collectives().size());
}

TEST(Table, FindsRowsByNameAndByBinary) {
  for (const auto* c : all_collectives()) {
    EXPECT_EQ(find_collective(c->name), c);
    EXPECT_EQ(find_collective(c->binary), c);
  }
  EXPECT_EQ(find_collective("alltoall_perf"), find_collective("all_to_all"));
  EXPECT_EQ(find_collective(""), nullptr);
  EXPECT_EQ(find_collective("_perf"), nullptr);
  EXPECT_EQ(find_collective("all_reduce_per"), nullptr);
}

TEST(Table, FindsRowsInAnyonesSpelling) {
  for (const auto* name : {"allreduce", "AllReduce", "all-reduce", "ALLREDUCE", "allreduce_perf"})
    EXPECT_EQ(find_collective(name), &row("all_reduce")) << name;
  EXPECT_EQ(find_collective("alltoall"), &row("all_to_all"));
  EXPECT_EQ(find_collective("alltoallv"), &row("all_to_all_v"));
  EXPECT_EQ(find_collective("ReduceScatter"), &row("reduce_scatter"));
  EXPECT_EQ(find_collective("all reduce"), nullptr);
}

TEST(Table, FillsTheRedopColumnOfEveryRow) {
  for (const auto* c : all_collectives()) EXPECT_NE(c->reduces, !c->redop.empty()) << c->name;
  EXPECT_EQ(row("sendrecv").redop, "sum");
  EXPECT_EQ(row("hypercube").redop, "none");
}

TEST(CountOf, IsAllElementsWhereEachRankHoldsTheWholeBuffer) {
  EXPECT_EQ(count_of(row("all_reduce"), 1000, DataType::float32, 4), 250u);
  EXPECT_EQ(count_of(row("broadcast"), 1003, DataType::float64, 4), 125u);
  EXPECT_EQ(count_of(row("sendrecv"), 8, DataType::int8, 3), 8u);
}

TEST(CountOf, RoundsARanksShareDownTo16Bytes) {
  EXPECT_EQ(count_of(row("all_gather"), 1024, DataType::float32, 4), 64u);
  EXPECT_EQ(count_of(row("all_gather"), 1000, DataType::float32, 4), 60u);
  EXPECT_EQ(count_of(row("reduce_scatter"), 1000, DataType::float16, 3), 160u);
  EXPECT_EQ(count_of(row("alltoall_perf"), 63, DataType::int8, 4), 0u);
  EXPECT_EQ(count_of(row("alltoall_perf"), 64, DataType::int8, 4), 16u);
}

TEST(RowBytes, IsTheLargerSide) {
  const Sizing sizing{.count = 64, .nranks = 4};

  EXPECT_EQ(row_bytes(row("all_reduce"), sizing, DataType::float32), 256u);
  for (const auto* name :
       {"all_gather", "reduce_scatter", "all_to_all", "gather", "scatter", "hypercube"})
    EXPECT_EQ(row_bytes(row(name), sizing, DataType::float32), 1024u) << name;
}

TEST(RowBytes, IsThatOfTheBusiestRankWhereRanksDiffer) {
  const auto traffic = TrafficMatrix::parse("0 16 32\n64 0 0\n512 0 0", 3, 1).value();
  const Sizing sizing{.nranks = 3, .traffic = &traffic};

  EXPECT_EQ(row_bytes(row("all_to_all_v"), sizing, DataType::float64), 576u);
}

struct Figures {
  const char* name;
  std::size_t sendcount, recvcount, algbw_count;  // of count 10 on 4 ranks
  double bus_factor;
  bool in_place = true;
};

// nccl-tests' PERFORMANCE.md and its sources, for 4 ranks.
constexpr Figures kFigures[] = {
    {"all_reduce", 10, 10, 10, 1.5},
    {"all_gather", 10, 40, 40, 0.75},
    {"reduce_scatter", 40, 10, 40, 0.75},
    {"broadcast", 10, 10, 10, 1},
    {"reduce", 10, 10, 10, 1},
    {"all_to_all", 40, 40, 40, 0.75, false},
    {"all_to_all_v", 40, 40, 40, 0.75, false},
    {"gather", 10, 40, 40, 0.75},
    {"scatter", 40, 10, 40, 0.75},
    {"sendrecv", 10, 10, 10, 1, false},
    {"hypercube", 10, 40, 30, 1},
};

TEST(Figures, AreThoseOfNcclTests) {
  const auto traffic = TrafficMatrix::weighted(1.0, 4);
  for (const auto& wanted : kFigures) {
    const auto& c = row(wanted.name);
    const Sizing sizing{.count = 10, .rank = 2, .nranks = 4, .traffic = &traffic};

    const auto shape = c.shape(sizing);

    EXPECT_EQ(shape.sendcount, wanted.sendcount) << wanted.name;
    EXPECT_EQ(shape.recvcount, wanted.recvcount) << wanted.name;
    EXPECT_EQ(algbw_count(c, sizing), wanted.algbw_count) << wanted.name;
    EXPECT_DOUBLE_EQ(c.bus_factor(4), wanted.bus_factor) << wanted.name;
    EXPECT_EQ(c.in_place, wanted.in_place) << wanted.name;
  }
}

TEST(Figures, GiveOneRankNoBusBandwidthWhereNothingCrossesALink) {
  for (const auto* name : {"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "gather"})
    EXPECT_EQ(row(name).bus_factor(1), 0.0) << name;
}

TEST(Shapes, PutTheSmallerSideAtTheRanksBlockInPlace) {
  const Sizing sizing{.count = 10, .rank = 2, .nranks = 4};

  EXPECT_EQ(row("all_gather").shape(sizing).in_place_send_offset, 20u);
  EXPECT_EQ(row("gather").shape(sizing).in_place_send_offset, 20u);
  EXPECT_EQ(row("hypercube").shape(sizing).in_place_send_offset, 20u);
  EXPECT_EQ(row("reduce_scatter").shape(sizing).in_place_recv_offset, 20u);
  EXPECT_EQ(row("scatter").shape(sizing).in_place_recv_offset, 20u);
  EXPECT_EQ(row("all_reduce").shape(sizing).in_place_send_offset, 0u);
}

TEST(Hypercube, RefusesRankCountsThatAreNoPowerOfTwo) {
  for (const int nranks : {1, 2, 4, 64, 4096}) EXPECT_FALSE(row("hypercube").refusal(nranks));
  for (const int nranks : {3, 6, 7, 100}) EXPECT_TRUE(row("hypercube").refusal(nranks));
  EXPECT_EQ(*row("hypercube").refusal(6),
            "hypercube needs a power of two ranks, but there are 6: run it on 4 or 8 ranks.");
}

}  // namespace
}  // namespace linerate
