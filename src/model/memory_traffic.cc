// Counts intervals of each rank's buffers that some result needs, and that results overwrite.
#include "model/memory_traffic.h"

#include "model/intervals.h"

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

}  // namespace

std::vector<MemoryTraffic> memory_traffic(const ModeledCall& call) {
  std::vector<Shape> shapes;
  for (int rank = 0; rank < call.sizing.nranks; ++rank)
    shapes.push_back(call.collective->shape(call.sizing_of_rank(rank)));
  Counter counter(std::move(shapes), call.placement);
  for (int rank = 0; rank < call.sizing.nranks; ++rank) {
    Oracle oracle({.rank = rank, .root = call.root});
    call.collective->expect(oracle, call.sizing_of_rank(rank));
    for (const auto& segment : oracle.segments()) counter.add(segment, rank);
  }
  std::vector<MemoryTraffic> by_rank;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(call.sizing.nranks); ++rank)
    by_rank.push_back(counter.traffic(rank));
  return by_rank;
}

}  // namespace linerate
