// Each row's expected result against its textbook definition, element by element.
#include "collectives/collective.h"
#include "collectives/traffic.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <tuple>

namespace linerate {
namespace {

constexpr int kUntouched = -2;

// One element of a receive buffer: where it comes from. Rank Oracle::kReduction is the reduction.
struct Origin {
  int rank = kUntouched;
  std::size_t index = 0;
  bool operator==(const Origin&) const = default;
};

struct Situation {
  int rank = 0;
  int nranks = 1;
  int root = 0;
  std::size_t count = 0;
  const TrafficMatrix* traffic = nullptr;
};

// Element i of recv by definition.
using Definition = std::function<Origin(const Situation&, std::size_t i)>;

Origin block_of_each(const Situation& s, std::size_t i) {
  return {static_cast<int>(i / s.count), i % s.count};
}

// The i-th element that arrives, when every source's part for this rank is appended in rank order.
Origin arrival(const Situation& s, std::size_t i) {
  const Sizing sizing{.count = s.count, .nranks = s.nranks, .traffic = s.traffic};
  for (int src = 0; src < s.nranks; ++src) {
    const std::size_t part = s.traffic->elements(sizing, src, s.rank);
    std::size_t before = 0;
    for (int dst = 0; dst < s.rank; ++dst) before += s.traffic->elements(sizing, src, dst);
    if (i < part) return {src, before + i};
    i -= part;
  }
  return {};
}

const std::map<std::string, Definition>& definitions() {
  static const std::map<std::string, Definition> all{
      {"all_reduce",
       [](auto&, std::size_t i) {
         return Origin{Oracle::kReduction, i};
       }},
      {"all_gather", block_of_each},
      {"hypercube", block_of_each},
      {"reduce_scatter",
       [](auto& s, std::size_t i) {
         return Origin{Oracle::kReduction, static_cast<std::size_t>(s.rank) * s.count + i};
       }},
      {"broadcast",
       [](auto& s, std::size_t i) {
         return Origin{s.root, i};
       }},
      {"reduce",
       [](auto& s, std::size_t i) {
         return s.rank == s.root ? Origin{Oracle::kReduction, i} : Origin{};
       }},
      {"all_to_all",
       [](auto& s, std::size_t i) {
         return Origin{static_cast<int>(i / s.count),
                       static_cast<std::size_t>(s.rank) * s.count + i % s.count};
       }},
      {"all_to_all_v", arrival},
      {"gather",
       [](auto& s, std::size_t i) { return s.rank == s.root ? block_of_each(s, i) : Origin{}; }},
      {"scatter",
       [](auto& s, std::size_t i) {
         return Origin{s.root, static_cast<std::size_t>(s.rank) * s.count + i};
       }},
      {"sendrecv",
       [](auto& s, std::size_t i) {
         return Origin{(s.rank + s.nranks - 1) % s.nranks, i};
       }},
  };
  return all;
}

class Expectation : public testing::TestWithParam<const Collective*> {
 protected:
  // Calls `check` for all ranks and roots of several sizes.
  void for_each_situation(const std::function<void(const Situation&)>& check) const {
    for (const int nranks : {1, 2, 3, 4, 8}) {
      if (GetParam()->refusal && GetParam()->refusal(nranks)) continue;
      const auto traffic = TrafficMatrix::weighted(1.0, nranks);
      for (const std::size_t count : {1u, 5u, 48u})
        for (int root = 0; root < (GetParam()->rooted ? nranks : 1); ++root)
          for (int rank = 0; rank < nranks; ++rank) check({rank, nranks, root, count, &traffic});
    }
  }

  static Sizing sizing(const Situation& s) {
    return {.count = s.count, .rank = s.rank, .nranks = s.nranks, .traffic = s.traffic};
  }

  Oracle oracle_of(const Situation& s) const {
    Oracle oracle({.rank = s.rank, .root = s.root});
    GetParam()->expect(oracle, sizing(s));
    return oracle;
  }
};

TEST_P(Expectation, IsTheDefinition) {
  const auto found = definitions().find(std::string(GetParam()->name));
  if (found == definitions().end()) GTEST_SKIP() << "no definition of it is written here yet";
  const auto& definition = found->second;
  for_each_situation([&](const Situation& s) {
    std::vector<Origin> told(GetParam()->shape(sizing(s)).recvcount);

    const auto oracle = oracle_of(s);
    for (const auto& segment : oracle.segments())
      for (std::size_t i = 0; i < segment.count; ++i)
        told.at(segment.offset + i) = {segment.source_rank, segment.source_index + i};

    for (std::size_t i = 0; i < told.size(); ++i)
      ASSERT_EQ(told[i], definition(s, i)) << "rank " << s.rank << " of " << s.nranks << ", " << i;
  });
}

TEST_P(Expectation, TellsAscendingSegmentsWithoutOverlap) {
  for_each_situation([&](const Situation& s) {
    const auto oracle = oracle_of(s);
    std::size_t end = 0;
    for (const auto& segment : oracle.segments()) {
      ASSERT_GE(segment.offset, end);
      end = segment.offset + segment.count;
    }
  });
}

TEST_P(Expectation, ReadsOnlyWhatTheSourceSends) {
  for_each_situation([&](const Situation& s) {
    const auto oracle = oracle_of(s);
    for (const auto& segment : oracle.segments()) {
      Sizing source = sizing(s);
      if (segment.source_rank != Oracle::kReduction) source.rank = segment.source_rank;
      ASSERT_LE(segment.source_index + segment.count, GetParam()->shape(source).sendcount);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Table, Expectation,
                         testing::ValuesIn(all_collectives().begin(), all_collectives().end()),
                         [](const auto& tested) { return std::string(tested.param->name); });

}  // namespace
}  // namespace linerate
