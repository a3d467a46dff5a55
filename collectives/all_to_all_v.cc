// all_to_all_v: every rank sends a part of its own length to every rank.
#include "collectives/rows.h"
#include "collectives/traffic.h"

namespace linerate {
namespace {

Shape shape(const Sizing& s) {
  return {.sendcount = s.traffic->sent(s, s.rank), .recvcount = s.traffic->received(s, s.rank)};
}

// As in all_to_all; with unequal parts a convention, not a bound.
double bus_factor(int nranks) { return static_cast<double>(nranks - 1) / nranks; }

void launch(Communicator& comm, const Call& call) {
  comm.all_to_all_v(call.buffers, call.send_ranges, call.recv_ranges, *call.stream);
}

void expect(Oracle& oracle, const Sizing& s) {
  const auto ranges = s.traffic->recv_ranges(s);
  for (int source = 0; source < s.nranks; ++source) {
    const Range& range = ranges[static_cast<std::size_t>(source)];
    oracle.copy({.offset = range.offset,
                 .count = range.count,
                 .source_rank = source,
                 .source_index = s.traffic->send_offset(s, source, s.rank)});
  }
}

}  // namespace

const Collective kAllToAllV{.name = "all_to_all_v",
                            .binary = "alltoallv_perf",
                            .summary = "every rank sends a part of its own length to every rank",
                            .in_place = false,
                            .redop = "none",
                            .divides_by_ranks = true,
                            .chooses = false,
                            .varies = true,
                            .shape = shape,
                            .bus_factor = bus_factor,
                            .launch = launch,
                            .expect = expect};

}  // namespace linerate
