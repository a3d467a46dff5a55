// Counts intervals of each rank's buffers that some result needs, that results overwrite, and that
// leave their node and enter another one.
#include "model/traffic.h"

#include <algorithm>
#include <map>
#include <utility>

namespace linerate {
namespace {

// A rank's own part that in place lies where it must be.
bool lies_there(const Oracle::Segment& segment, int rank, const Shape& shape) {
  return segment.source_rank == rank && segment.source_index + shape.in_place_send_offset ==
                                            segment.offset + shape.in_place_recv_offset;
}

// What each rank's buffers are asked for, in elements of its one buffer where there is one.
class Counter {
 public:
  Counter(std::vector<Shape> shapes, Placement placement)
      : shapes_(std::move(shapes)), placement_(placement), of_(shapes_.size()) {}

  void add(const Oracle::Segment& segment, int rank);
  MemoryTraffic traffic(std::size_t rank) const;

 private:
  struct OfRank {
    std::vector<Interval> needed{}, written{}, copied{};  // copied: of those written
  };

  void need(std::size_t rank, const Oracle::Segment& segment) {
    const auto first = segment.source_index + shapes_[rank].in_place_send_offset;
    of_[rank].needed.emplace_back(first, first + segment.count);
  }

  const std::vector<Shape> shapes_;
  const Placement placement_;
  std::vector<OfRank> of_;
};

void Counter::add(const Oracle::Segment& segment, int rank) {
  const auto to = static_cast<std::size_t>(rank);
  if (placement_ == Placement::in_place && lies_there(segment, rank, shapes_[to])) return;
  const auto first = segment.offset + shapes_[to].in_place_recv_offset;
  of_[to].written.emplace_back(first, first + segment.count);
  if (segment.source_rank != Oracle::kReduction) {
    of_[to].copied.push_back(of_[to].written.back());
    return need(static_cast<std::size_t>(segment.source_rank), segment);
  }
  for (std::size_t source = 0; source < of_.size(); ++source) need(source, segment);
}

MemoryTraffic Counter::traffic(std::size_t rank) const {
  auto [needed, written, copied] = of_[rank];
  for (auto* intervals : {&needed, &written, &copied}) merge(*intervals);
  MemoryTraffic traffic{.read = covered(needed), .written = covered(written)};
  if (placement_ != Placement::in_place) return traffic;
  traffic.updated = covered_by_both(needed, written);
  traffic.exchanged = covered_by_both(needed, copied);
  return traffic;
}

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
        waits_(static_cast<std::size_t>(nranks)) {}

  void add(const Oracle::Segment& segment, int rank);
  InterNodeTraffic traffic();

 private:
  std::size_t node(int rank) const {
    return static_cast<std::size_t>(nodes_[static_cast<std::size_t>(rank)]);
  }
  void count_copies(InterNodeTraffic& traffic) const;
  void count_reductions(InterNodeTraffic& traffic);
  std::vector<Edge> edges();

  std::span<const int> nodes_;
  std::size_t nnodes_;
  std::vector<Intervals> leaving_;                  // of each rank's input, to other nodes
  std::vector<std::map<int, Intervals>> entering_;  // each node, of a rank's input elsewhere
  std::vector<Intervals> reduced_;                  // what each node needs of a reduction
  std::vector<bool> waits_;                         // each rank: needs something from another node
};

void NodeCounter::add(const Oracle::Segment& segment, int rank) {
  const Interval part{segment.source_index, segment.source_index + segment.count};
  if (segment.source_rank == Oracle::kReduction) {
    reduced_[node(rank)].push_back(part);
  } else if (node(segment.source_rank) != node(rank)) {
    leaving_[static_cast<std::size_t>(segment.source_rank)].push_back(part);
    entering_[node(rank)][segment.source_rank].push_back(part);
  } else {
    return;
  }
  waits_[static_cast<std::size_t>(rank)] =
      waits_[static_cast<std::size_t>(rank)] || segment.count > 0;
}

void NodeCounter::count_copies(InterNodeTraffic& traffic) const {
  for (std::size_t rank = 0; rank < leaving_.size(); ++rank) {
    const auto count = covered(leaving_[rank]);
    traffic.sent[node(static_cast<int>(rank))] += count;
    traffic.relayed = traffic.relayed || count < total_of(leaving_[rank]);
  }
  for (std::size_t at = 0; at < nnodes_; ++at)
    for (const auto& [source, parts] : entering_[at]) {
      const auto count = covered(parts);
      traffic.received[at] += count;
      traffic.total += count;
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
void NodeCounter::count_reductions(InterNodeTraffic& traffic) {
  std::size_t needed = 0, begin = 0;
  int needing = 0, sum = 0;
  std::vector<std::size_t> alone(nnodes_);
  for (const auto& edge : edges()) {
    const auto length = edge.at - begin;
    if (needing > 0) {
      needed += length;
      traffic.total += length * (nnodes_ - 1 + static_cast<std::size_t>(needing) - 1);
    }
    if (needing == 1) alone[static_cast<std::size_t>(sum)] += length;
    needing += edge.change;
    sum += edge.change * edge.node;
    begin = edge.at;
  }
  for (std::size_t at = 0; at < nnodes_; ++at) {
    traffic.sent[at] += needed - alone[at];
    traffic.received[at] += covered(reduced_[at]);
  }
}

InterNodeTraffic NodeCounter::traffic() {
  InterNodeTraffic traffic{.sent = std::vector<std::size_t>(nnodes_),
                           .received = std::vector<std::size_t>(nnodes_)};
  if (nnodes_ < 2) return traffic;
  traffic.every_rank_waits = std::ranges::find(waits_, false) == waits_.end();
  traffic.relayed = std::ranges::any_of(reduced_, [](const auto& parts) { return !parts.empty(); });
  count_copies(traffic);
  count_reductions(traffic);
  return traffic;
}

// What every rank's result must hold.
void add_results(const ModeledCall& call, auto& counter) {
  for (int rank = 0; rank < call.sizing.nranks; ++rank) {
    Oracle oracle({.rank = rank, .root = call.root});
    call.collective->expect(oracle, call.sizing_of_rank(rank));
    for (const auto& segment : oracle.segments()) counter.add(segment, rank);
  }
}

}  // namespace

std::vector<MemoryTraffic> memory_traffic(const ModeledCall& call) {
  std::vector<Shape> shapes;
  for (int rank = 0; rank < call.sizing.nranks; ++rank)
    shapes.push_back(call.collective->shape(call.sizing_of_rank(rank)));
  Counter counter(std::move(shapes), call.placement);
  add_results(call, counter);
  std::vector<MemoryTraffic> by_rank;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(call.sizing.nranks); ++rank)
    by_rank.push_back(counter.traffic(rank));
  return by_rank;
}

InterNodeTraffic inter_node_traffic(const ModeledCall& call, std::span<const int> nodes) {
  NodeCounter counter(call.sizing.nranks, nodes);
  add_results(call, counter);
  return counter.traffic();
}

}  // namespace linerate
