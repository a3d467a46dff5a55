// See moved.h.
#include "bench/expect/moved.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace linerate {
namespace {

using Interval = std::pair<std::size_t, std::size_t>;  // [first, last)

// Elements that lie in any of the intervals.
std::size_t covered(std::vector<Interval>& intervals) {
  std::ranges::sort(intervals);
  std::size_t count = 0, end = 0;
  for (const auto& [first, last] : intervals) {
    if (last <= end) continue;
    count += last - std::max(first, end);
    end = last;
  }
  return count;
}

// A rank's own part that in place lies where it must be.
bool lies_there(const Oracle::Segment& segment, int rank, const Shape& shape) {
  return segment.source_rank == rank && segment.source_index + shape.in_place_send_offset ==
                                            segment.offset + shape.in_place_recv_offset;
}

class Counter {
 public:
  Counter(const Sizing& sizing, Placement placement)
      : sizing_(sizing), placement_(placement), needed_(static_cast<std::size_t>(sizing.nranks)) {}

  void add(const Oracle::Segment& segment, int rank, const Shape& shape);
  Moved moved();

 private:
  void need(int rank, const Oracle::Segment& segment) {
    needed_[static_cast<std::size_t>(rank)].emplace_back(segment.source_index,
                                                         segment.source_index + segment.count);
  }

  const Sizing& sizing_;
  const Placement placement_;
  std::vector<std::vector<Interval>> needed_;  // of each rank's input
  std::size_t written_ = 0;
};

void Counter::add(const Oracle::Segment& segment, int rank, const Shape& shape) {
  if (placement_ == Placement::in_place && lies_there(segment, rank, shape)) return;
  written_ += segment.count;
  if (segment.source_rank != Oracle::kReduction) return need(segment.source_rank, segment);
  for (int source = 0; source < sizing_.nranks; ++source) need(source, segment);
}

Moved Counter::moved() {
  Moved moved{.written = written_};
  for (auto& intervals : needed_) moved.read += covered(intervals);
  return moved;
}

}  // namespace

Moved moved_of(const Collective& collective, const Sizing& sizing, int root, Placement placement) {
  Counter counter(sizing, placement);
  for (int rank = 0; rank < sizing.nranks; ++rank) {
    Sizing of_rank = sizing;
    of_rank.rank = rank;
    Oracle oracle({.rank = rank, .root = root});
    collective.expect(oracle, of_rank);
    const Shape shape = collective.shape(of_rank);
    for (const auto& segment : oracle.segments()) counter.add(segment, rank, shape);
  }
  return counter.moved();
}

}  // namespace linerate
