// See crossed.h.
#include "bench/expect/crossed.h"

#include "bench/expect/intervals.h"

#include <algorithm>
#include <map>
#include <utility>

namespace linerate {
namespace {

using Intervals = std::vector<Interval>;

std::size_t total_of(const Intervals& parts) {
  std::size_t total = 0;
  for (const auto& [first, last] : parts) total += last - first;
  return total;
}

// Where a node begins or ceases to need what is reduced.
struct Edge {
  std::size_t at = 0;
  int change = 0;  // of how many nodes need it
  int node = 0;
};

class NodeCounter {
 public:
  NodeCounter(int nranks, std::span<const int> nodes)
      : nodes_(nodes),
        nnodes_(static_cast<std::size_t>(*std::ranges::max_element(nodes)) + 1),
        leaving_(static_cast<std::size_t>(nranks)),
        entering_(nnodes_),
        reduced_(nnodes_),
        needed_by_(static_cast<std::size_t>(nranks), -1),
        needs_(static_cast<std::size_t>(nranks)) {}

  void add(const Oracle::Segment& segment, int rank);
  Crossed crossed();

 private:
  std::size_t node(int rank) const {
    return static_cast<std::size_t>(nodes_[static_cast<std::size_t>(rank)]);
  }
  void note_need(int rank, int source);
  bool in_step() const { return pairs_ == leaving_.size() * (leaving_.size() - 1); }
  void count_copies(Crossed& crossed) const;
  void count_reductions(Crossed& crossed);
  std::vector<Edge> edges();

  std::span<const int> nodes_;
  std::size_t nnodes_;
  std::vector<Intervals> leaving_;                  // of each rank's input, to other nodes
  std::vector<std::map<int, Intervals>> entering_;  // each node, of a rank's input elsewhere
  std::vector<Intervals> reduced_;                  // what each node needs of a reduction
  std::vector<int> needed_by_;      // the last rank that needed something of each rank
  std::size_t pairs_ = 0;           // of ranks of which one needs something of the other
  std::vector<std::size_t> needs_;  // each rank: of other nodes
};

// REQUIRES: one rank after the other.
void NodeCounter::note_need(int rank, int source) {
  int& last = needed_by_[static_cast<std::size_t>(source)];
  if (source == rank || last == rank) return;
  last = rank;
  ++pairs_;
}

void NodeCounter::add(const Oracle::Segment& segment, int rank) {
  const Interval part{segment.source_index, segment.source_index + segment.count};
  if (segment.source_rank == Oracle::kReduction) {
    reduced_[node(rank)].push_back(part);
    for (std::size_t source = 0; source < leaving_.size(); ++source)
      note_need(rank, static_cast<int>(source));
  } else if (note_need(rank, segment.source_rank); node(segment.source_rank) != node(rank)) {
    leaving_[static_cast<std::size_t>(segment.source_rank)].push_back(part);
    entering_[node(rank)][segment.source_rank].push_back(part);
  } else {
    return;
  }
  needs_[static_cast<std::size_t>(rank)] += segment.count;
}

void NodeCounter::count_copies(Crossed& crossed) const {
  for (std::size_t rank = 0; rank < leaving_.size(); ++rank) {
    const auto count = covered(leaving_[rank]);
    crossed.sent[node(static_cast<int>(rank))] += count;
    crossed.shared = crossed.shared || count < total_of(leaving_[rank]);
  }
  for (std::size_t at = 0; at < nnodes_; ++at)
    for (const auto& [source, parts] : entering_[at]) {
      const auto count = covered(parts);
      crossed.received[at] += count;
      crossed.total += count;
    }
}

std::vector<Edge> NodeCounter::edges() {
  std::vector<Edge> all;
  for (std::size_t at = 0; at < nnodes_; ++at) {
    merge(reduced_[at]);
    for (const auto& [first, last] : reduced_[at]) {
      all.push_back({.at = first, .change = 1, .node = static_cast<int>(at)});
      all.push_back({.at = last, .change = -1, .node = static_cast<int>(at)});
    }
  }
  std::ranges::sort(all, {}, &Edge::at);
  return all;
}

// From edge to edge the same nodes need what is reduced: `needing` of them, and where it is one
// alone, `sum` is that one.
void NodeCounter::count_reductions(Crossed& crossed) {
  std::size_t needed = 0, begin = 0;
  int needing = 0, sum = 0;
  std::vector<std::size_t> alone(nnodes_);
  for (const auto& edge : edges()) {
    const auto length = edge.at - begin;
    if (needing > 0) {
      needed += length;
      crossed.total += length * (nnodes_ - 1 + static_cast<std::size_t>(needing) - 1);
    }
    if (needing == 1) alone[static_cast<std::size_t>(sum)] += length;
    needing += edge.change;
    sum += edge.change * edge.node;
    begin = edge.at;
  }
  for (std::size_t at = 0; at < nnodes_; ++at) {
    crossed.sent[at] += needed - alone[at];
    crossed.received[at] += covered(reduced_[at]);
  }
}

Crossed NodeCounter::crossed() {
  Crossed crossed{.sent = std::vector<std::size_t>(nnodes_),
                  .received = std::vector<std::size_t>(nnodes_)};
  if (nnodes_ < 2) return crossed;
  crossed.needs = needs_;
  crossed.in_step = in_step();
  crossed.shared = std::ranges::any_of(reduced_, [](const auto& parts) { return !parts.empty(); });
  count_copies(crossed);
  count_reductions(crossed);
  return crossed;
}

}  // namespace

std::size_t Crossed::waiting() const {
  return needs.size() - static_cast<std::size_t>(std::ranges::count(needs, std::size_t{0}));
}

Crossed crossed_by(const Collective& collective, const Sizing& sizing, int root,
                   std::span<const int> nodes) {
  NodeCounter counter(sizing.nranks, nodes);
  for (int rank = 0; rank < sizing.nranks; ++rank) {
    Sizing of_rank = sizing;
    of_rank.rank = rank;
    Oracle oracle({.rank = rank, .root = root});
    collective.expect(oracle, of_rank);
    for (const auto& segment : oracle.segments()) counter.add(segment, rank);
  }
  return counter.crossed();
}

}  // namespace linerate
