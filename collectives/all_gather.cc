// all_gather: every rank ends with the buffers of all ranks, one after the other.
#include "collectives/rows.h"

namespace linerate {
namespace {

// In place, a rank's own block already lies where it belongs in recv.
Shape shape(const Sizing& s) {
  return {.sendcount = s.count,
          .recvcount = static_cast<std::size_t>(s.nranks) * s.count,
          .in_place_send_offset = static_cast<std::size_t>(s.rank) * s.count};
}

// A rank holds 1/n of the result and must receive the rest.
double bus_factor(int nranks) { return static_cast<double>(nranks - 1) / nranks; }

void launch(Communicator& comm, const Call& call) { comm.all_gather(call.buffers, *call.stream); }

void expect(Oracle& oracle, const Sizing& s) {
  for (int r = 0; r < s.nranks; ++r)
    oracle.copy(
        {.offset = static_cast<std::size_t>(r) * s.count, .count = s.count, .source_rank = r});
}

}  // namespace

const Collective kAllGather{
    .name = "all_gather",
    .binary = "all_gather_perf",
    .summary = "every rank ends with the buffers of all ranks, one after the other",
    .redop = "none",
    .divides_by_ranks = true,
    .shape = shape,
    .bus_factor = bus_factor,
    .launch = launch,
    .expect = expect};

}  // namespace linerate
