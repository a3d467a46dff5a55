// See moved.h.
#include "bench/expect/moved.h"

#include "bench/expect/intervals.h"

#include <algorithm>

namespace linerate {
namespace {

// A rank's own part that in place lies where it must be.
bool lies_there(const Oracle::Segment& segment, int rank, const Shape& shape) {
  return segment.source_rank == rank && segment.source_index + shape.in_place_send_offset ==
                                            segment.offset + shape.in_place_recv_offset;
}

class Counter {
 public:
  Counter(const Sizing& sizing, Placement placement)
      : sizing_(sizing),
        placement_(placement),
        needed_(static_cast<std::size_t>(sizing.nranks)),
        written_(static_cast<std::size_t>(sizing.nranks)) {}

  void add(const Oracle::Segment& segment, int rank, const Shape& shape);
  Moved of_rank(std::size_t rank) const;

 private:
  void need(int rank, const Oracle::Segment& segment) {
    needed_[static_cast<std::size_t>(rank)].emplace_back(segment.source_index,
                                                         segment.source_index + segment.count);
  }

  const Sizing& sizing_;
  const Placement placement_;
  std::vector<std::vector<Interval>> needed_;  // of each rank's input
  std::vector<std::size_t> written_;           // by each rank
};

void Counter::add(const Oracle::Segment& segment, int rank, const Shape& shape) {
  if (placement_ == Placement::in_place && lies_there(segment, rank, shape)) return;
  written_[static_cast<std::size_t>(rank)] += segment.count;
  if (segment.source_rank != Oracle::kReduction) return need(segment.source_rank, segment);
  for (int source = 0; source < sizing_.nranks; ++source) need(source, segment);
}

Moved Counter::of_rank(std::size_t rank) const {
  return {.read = covered(needed_[rank]), .written = written_[rank]};
}

}  // namespace

std::vector<Moved> moved_by_rank(const Collective& collective, const Sizing& sizing, int root,
                                 Placement placement) {
  Counter counter(sizing, placement);
  for (int rank = 0; rank < sizing.nranks; ++rank) {
    Sizing of_rank = sizing;
    of_rank.rank = rank;
    Oracle oracle({.rank = rank, .root = root});
    collective.expect(oracle, of_rank);
    const Shape shape = collective.shape(of_rank);
    for (const auto& segment : oracle.segments()) counter.add(segment, rank, shape);
  }
  std::vector<Moved> moved;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(sizing.nranks); ++rank)
    moved.push_back(counter.of_rank(rank));
  return moved;
}

Moved moved_of(const Collective& collective, const Sizing& sizing, int root, Placement placement) {
  Moved all;
  for (const auto& moved : moved_by_rank(collective, sizing, root, placement)) all += moved;
  return all;
}

}  // namespace linerate
