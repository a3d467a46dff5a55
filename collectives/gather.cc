// gather: the root ends with the buffers of all ranks, one after the other.
#include "collectives/rows.h"

namespace linerate {
namespace {

// In place, a rank's own block already lies where it belongs in recv.
Shape shape(const Sizing& s) {
  return {.sendcount = s.count,
          .recvcount = static_cast<std::size_t>(s.nranks) * s.count,
          .in_place_send_offset = static_cast<std::size_t>(s.rank) * s.count};
}

// The root's link carries all blocks but its own.
double bus_factor(int nranks) { return static_cast<double>(nranks - 1) / nranks; }

void launch(Communicator& comm, const Call& call) {
  comm.gather(call.buffers, call.root, *call.stream);
}

void expect(Oracle& oracle, const Sizing& s) {
  if (!oracle.is_root()) return;
  for (int r = 0; r < s.nranks; ++r)
    oracle.copy(
        {.offset = static_cast<std::size_t>(r) * s.count, .count = s.count, .source_rank = r});
}

}  // namespace

const Collective kGather{
    .name = "gather",
    .binary = "gather_perf",
    .summary = "the root ends with the buffers of all ranks, one after the other",
    .rooted = true,
    .redop = "none",
    .divides_by_ranks = true,
    .shape = shape,
    .bus_factor = bus_factor,
    .launch = launch,
    .expect = expect};

}  // namespace linerate
