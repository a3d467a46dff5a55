#include "record/record.h"

#include "base/text.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace linerate {

std::string_view name_of(Placement placement) {
  switch (placement) {
    case Placement::out_of_place:
      return "out_of_place";
    case Placement::in_place:
      return "in_place";
  }
  __builtin_unreachable();
}

namespace {

// Of "0-3,8": 5.
int threads_in(std::string_view affinity) {
  int threads = 0;
  for (const auto& range : split(affinity, ',')) {
    const auto ends = split(range, '-');
    const auto first = parse_integer("thread", ends.front());
    const auto last = parse_integer("thread", ends.back());
    if (first && last) threads += static_cast<int>(*last - *first + 1);
  }
  return threads;
}

}  // namespace

bool shares_cores(const RunInfo& run, std::span<const RankInfo> ranks) {
  if (run.launcher == "mpirun" || run.launcher == "srun" || ranks.empty()) return false;
  std::map<std::string, int> nranks;  // bound to the same threads
  for (const auto& rank : ranks)
    if (rank.node == ranks.front().node) ++nranks[rank.affinity];
  if (nranks.size() == 1) return run.ncores > 0 && nranks.begin()->second > run.ncores;
  return std::ranges::any_of(
      nranks, [](const auto& bound) { return bound.second > threads_in(bound.first); });
}

int ranks_on_first_node(std::span<const RankInfo> ranks) {
  return ranks.empty()
             ? 0
             : static_cast<int>(std::ranges::count(ranks, ranks.front().node, &RankInfo::node));
}

std::map<int, int> ranks_by_node(std::span<const RankInfo> ranks) {
  std::map<int, int> nranks;
  for (const auto& rank : ranks) ++nranks[rank.node];
  return nranks;
}

RankSpread condense(std::span<const double> per_rank) {
  assert(!per_rank.empty());
  std::vector<int> ranks(per_rank.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  std::ranges::stable_sort(ranks, [&](int a, int b) {
    return per_rank[static_cast<std::size_t>(a)] > per_rank[static_cast<std::size_t>(b)];
  });
  std::vector<double> sorted(per_rank.begin(), per_rank.end());
  const auto summary = stats::summarize(sorted);
  RankSpread spread{
      .median = summary.median, .p95 = summary.p95, .p99 = summary.p99, .max = summary.max};
  for (const int rank : std::span(ranks).first(std::min(kWorstRanks, ranks.size())))
    spread.worst.emplace_back(rank, per_rank[static_cast<std::size_t>(rank)]);
  return spread;
}

}  // namespace linerate
