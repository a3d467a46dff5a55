// Ping-pong along the tree: of many round trips the fastest tells the offset.
#include "launch/common_clock.h"

#include "base/wire.h"

#include <cmath>
#include <limits>

namespace linerate {
namespace {

constexpr int kRounds = 40;
// Two crystals of +-50 ppm each: by how much two clocks may part while the tree is being measured.
constexpr double kMaxDrift = 100e-6;

// What one side tells the other in a round: when it sends, and when the last message reached it.
struct Stamps {
  std::int64_t sent_ns = 0;
  std::int64_t received_before_ns = 0;
};

// Where one process stands.
struct Member {
  std::int32_t node = 0;
  bool leads = false;
};

// One edge between two nodes, as its lower end measured it.
struct Edge {
  std::int32_t node = 0;
  std::int32_t parent_node = -1;  // -1: this process did not measure
  std::int64_t at_ns = 0;         // the child's clock, at the best round
  std::int64_t offset_ns = 0;     // the parent's clock minus the child's
  std::int64_t error_ns = 0;
};

// Both sides send at once, so a round is one message each way: sent by the child at c0, received by
// the parent at p1; sent by the parent at p0, received by the child at c1. The parent's clock minus
// the child's lies in [p0 - c1, p1 - c0]; the narrowest such interval of all rounds is kept.
Edge measure_edge(Bootstrap& process, int peer, const Clock& clock, const Deadline& deadline) {
  Edge best{.error_ns = std::numeric_limits<std::int64_t>::max()};
  std::int64_t c0 = 0, c1 = 0, p0 = 0;  // of the round before
  for (int round = 0; round <= kRounds; ++round) {
    const Stamps mine{clock.now_ns(), c1};
    const Bytes told = process.exchange(peer, std::as_bytes(std::span(&mine, 1)), deadline);
    const auto now_ns = clock.now_ns();
    const auto theirs = read_whole<Stamps>(told);
    if (round > 0) {
      const auto low = p0 - c1;
      const auto high = theirs.received_before_ns - c0;
      const auto error_ns = (high - low + 1) / 2;
      if (error_ns < best.error_ns) {
        best = {.at_ns = (c0 + c1) / 2, .offset_ns = low + (high - low) / 2, .error_ns = error_ns};
      }
    }
    c0 = mine.sent_ns;
    c1 = now_ns;
    p0 = theirs.sent_ns;
  }
  return best;
}

// The lowest process of its node, and so the one that measures for it.
bool leads_its_node(const Bootstrap& process) { return process.place().local_rank == 0; }

// The offset of `node` against node 0, added up along the edges.
ClockOffset follow(const std::vector<Edge>& edge_of_node, std::int32_t node) {
  ClockOffset total{.at_ns = edge_of_node[static_cast<std::size_t>(node)].at_ns};
  std::int64_t common_ns = total.at_ns;  // total.at_ns on the clock of the node reached so far
  while (node != 0) {
    const auto& edge = edge_of_node[static_cast<std::size_t>(node)];
    // This edge was measured at another moment than total.at_ns.
    const auto apart_ns = std::abs(static_cast<double>(edge.at_ns - common_ns));
    total.offset_ns += edge.offset_ns;
    total.error_ns += edge.error_ns + std::llround(std::ceil(apart_ns * kMaxDrift));
    common_ns += edge.offset_ns;
    node = edge.parent_node;
  }
  return total;
}

}  // namespace

ClockOffset measure_offset(Bootstrap& process, const Clock& clock, const Deadline& deadline) {
  const auto& place = process.place();
  if (place.nnodes == 1) return {.at_ns = clock.now_ns()};
  const int rank = process.rank();
  const auto members = all_values(process, Member{place.node, leads_its_node(process)}, deadline);
  const auto member = [&](int r) { return members[static_cast<std::size_t>(r)]; };

  Edge edge{.node = place.node};
  if (rank > 0 && leads_its_node(process)) {
    edge = measure_edge(process, tree_parent(rank), clock, deadline);
    edge.node = place.node;
    edge.parent_node = member(tree_parent(rank)).node;
  }
  for (const int child : tree_children(rank, process.nranks()))
    if (member(child).leads) measure_edge(process, child, clock, deadline);

  std::vector<Edge> edge_of_node(static_cast<std::size_t>(place.nnodes));
  for (const Edge& theirs : all_values(process, edge, deadline))
    if (theirs.parent_node >= 0) edge_of_node.at(static_cast<std::size_t>(theirs.node)) = theirs;
  if (place.node == 0) return {.at_ns = clock.now_ns()};
  return follow(edge_of_node, place.node);
}

std::int64_t to_common_ns(std::int64_t t_ns, const ClockOffset& first, const ClockOffset& last) {
  if (t_ns <= first.at_ns || last.at_ns <= first.at_ns) return t_ns + first.offset_ns;
  if (t_ns >= last.at_ns) return t_ns + last.offset_ns;
  const auto part =
      static_cast<double>(t_ns - first.at_ns) / static_cast<double>(last.at_ns - first.at_ns);
  const auto change_ns = static_cast<double>(last.offset_ns - first.offset_ns);
  return t_ns + first.offset_ns + std::llround(part * change_ns);
}

}  // namespace linerate
