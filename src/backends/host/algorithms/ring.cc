// Ring: data flows from each rank to the next in pieces; rank r reads from rank r-1 only.
// Patarasuk and Yuan 2009 for the reductions; broadcast and reduce are chains, cut at the root.
#include "backends/host/algorithms/pieces.h"
#include "backends/host/algorithms/rows.h"

namespace linerate::host {
namespace {

bool defined(const Problem& problem) {
  switch (problem.kind) {
    case OpKind::all_reduce:
    case OpKind::reduce_scatter:
    case OpKind::all_gather:
    case OpKind::broadcast:
    case OpKind::reduce:
      return problem.nranks > 1;
    default:
      return false;
  }
}

// One rank's view of the ring.
class Ring {
 public:
  Ring(const Problem& problem, int rank) : problem_(problem), rank_(rank) {}

  int left() const { return before(1); }
  int right() const { return (rank_ + 1) % problem_.nranks; }
  // The rank `hops` before this one. REQUIRES: hops <= nranks.
  int before(int hops) const { return (rank_ - hops + 2 * problem_.nranks) % problem_.nranks; }
  // Hops from the root.
  int distance() const { return (rank_ - problem_.root + problem_.nranks) % problem_.nranks; }

 private:
  const Problem& problem_;
  int rank_;
};

std::uint32_t at(int round, const Pieces& pieces, std::uint32_t piece) {
  return static_cast<std::uint32_t>(round) * pieces.count() + piece;
}

// Round g handles block r-1-g in the first half, where the left neighbour's part is added to the
// own one, and block r-g' in the second, where it is copied. A round waits for the left neighbour's
// round before; going round the ring, that also means that the right neighbour has read what is
// overwritten.
Schedule all_reduce(const Problem& problem, int rank) {
  const int n = problem.nranks;
  const Ring ring(problem, rank);
  const Pieces pieces(problem.count / static_cast<std::size_t>(n), problem.element_bytes);
  Schedule schedule;
  for (int round = 0; round < 2 * (n - 1); ++round) {
    const bool adds = round < n - 1;
    const int block = adds ? ring.before(round + 1) : ring.before(round - (n - 1));
    const Range whole = slice_of(problem.count, problem.element_bytes, block, n);
    const Pieces parts = pieces.of(whole.count);
    for (std::uint32_t i = 0; i < pieces.count(); ++i) {
      const std::size_t offset = whole.offset + parts[i].offset;
      Step step{.from = {{ring.left(), round == 0 ? BufferKind::send : BufferKind::recv, offset}},
                .to = {{rank, BufferKind::recv, offset}},
                .count = parts[i].count,
                .completes = round == n - 2};
      if (round > 0) step.waits = {{ring.left(), at(round - 1, pieces, i) + 1}};
      if (adds) step.from.push_back({rank, BufferKind::send, offset});
      schedule.steps.push_back(std::move(step));
    }
  }
  return schedule;
}

// Round s adds the own part of block r-2-s to the left neighbour's, into one of two scratch blocks,
// which the right neighbour has read two rounds later; the last round completes the own block.
Schedule reduce_scatter(const Problem& problem, int rank) {
  const int n = problem.nranks;
  const Ring ring(problem, rank);
  const Pieces pieces(problem.count, problem.element_bytes);
  Schedule schedule{.scratch_count = 2 * problem.count};
  for (int round = 0; round < n - 1; ++round) {
    const bool last = round == n - 2;
    const auto block = static_cast<std::size_t>(ring.before(round + 2)) * problem.count;
    const std::size_t theirs = static_cast<std::size_t>((round + 1) % 2) * problem.count;
    const std::size_t mine = static_cast<std::size_t>(round % 2) * problem.count;
    for (std::uint32_t i = 0; i < pieces.count(); ++i) {
      const auto [offset, count] = pieces[i];
      Step step{.count = count, .completes = last};
      step.from = {round == 0 ? Place{ring.left(), BufferKind::send, block + offset}
                              : Place{ring.left(), BufferKind::scratch, theirs + offset},
                   {rank, BufferKind::send, block + offset}};
      step.to = {last ? Place{rank, BufferKind::recv, offset}
                      : Place{rank, BufferKind::scratch, mine + offset}};
      if (round > 0) step.waits.push_back({ring.left(), at(round - 1, pieces, i) + 1});
      if (round > 1 && !last) step.waits.push_back({ring.right(), at(round - 1, pieces, i) + 1});
      schedule.steps.push_back(std::move(step));
    }
  }
  return schedule;
}

Schedule all_gather(const Problem& problem, int rank) {
  const Ring ring(problem, rank);
  const Pieces pieces(problem.count, problem.element_bytes);
  Schedule schedule;
  for (int round = 0; round < problem.nranks; ++round) {
    const auto block = static_cast<std::size_t>(ring.before(round)) * problem.count;
    for (std::uint32_t i = 0; i < pieces.count(); ++i) {
      const auto [offset, count] = pieces[i];
      Step step{.to = {{rank, BufferKind::recv, block + offset}}, .count = count};
      if (round <= 1)
        step.from = {{ring.before(round), BufferKind::send, offset}};
      else
        step.from = {{ring.left(), BufferKind::recv, block + offset}};
      if (round > 1) step.waits = {{ring.left(), at(round - 1, pieces, i) + 1}};
      schedule.steps.push_back(std::move(step));
    }
  }
  return schedule;
}

// A chain that begins at the root.
Schedule broadcast(const Problem& problem, int rank) {
  const Ring ring(problem, rank);
  const Pieces pieces(problem.count, problem.element_bytes);
  const int hops = ring.distance();
  Schedule schedule;
  for (std::uint32_t i = 0; i < pieces.count(); ++i) {
    const auto [offset, count] = pieces[i];
    const Place from = hops <= 1 ? Place{problem.root, BufferKind::send, offset}
                                 : Place{ring.left(), BufferKind::recv, offset};
    Step step{.from = {from}, .to = {{rank, BufferKind::recv, offset}}, .count = count};
    if (hops > 1) step.waits = {{ring.left(), i + 1}};
    schedule.steps.push_back(std::move(step));
  }
  return schedule;
}

// A chain that ends at the root: it begins at the rank after it. A few pieces of scratch go round.
Schedule reduce(const Problem& problem, int rank) {
  constexpr std::uint32_t kSlots = 4;
  const Ring ring(problem, rank);
  const Pieces pieces(problem.count, problem.element_bytes);
  const std::size_t room = pieces.largest();
  const int hops = ring.distance();  // 1: the chain's first
  Schedule schedule;
  if (hops == 1) return schedule;
  if (hops != 0) schedule.scratch_count = kSlots * room;
  for (std::uint32_t i = 0; i < pieces.count(); ++i) {
    const auto [offset, count] = pieces[i];
    const std::size_t slot = i % kSlots * room;
    const bool after_first = ring.before(1) == (problem.root + 1) % problem.nranks;
    Step step{.count = count, .completes = hops == 0};
    step.from = {after_first ? Place{ring.left(), BufferKind::send, offset}
                             : Place{ring.left(), BufferKind::scratch, slot},
                 {rank, BufferKind::send, offset}};
    step.to = {hops == 0 ? Place{rank, BufferKind::recv, offset}
                         : Place{rank, BufferKind::scratch, slot}};
    if (!after_first) step.waits.push_back({ring.left(), i + 1});
    if (hops != 0 && i >= kSlots) step.waits.push_back({ring.right(), i - kSlots + 1});
    schedule.steps.push_back(std::move(step));
  }
  return schedule;
}

Schedule schedule(const Problem& problem, int rank) {
  switch (problem.kind) {
    case OpKind::all_reduce:
      return all_reduce(problem, rank);
    case OpKind::reduce_scatter:
      return reduce_scatter(problem, rank);
    case OpKind::all_gather:
      return all_gather(problem, rank);
    case OpKind::broadcast:
      return broadcast(problem, rank);
    default:
      return reduce(problem, rank);
  }
}

}  // namespace

const Algorithm kRing{
    .name = "ring",
    .words = "pieces go from rank to rank",
    .defined = defined,
    .schedule = schedule,
};

}  // namespace linerate::host
