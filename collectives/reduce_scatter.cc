// reduce_scatter: every rank ends with its own part of the reduction of all ranks' buffers.
#include "collectives/rows.h"

namespace linerate {
namespace {

// In place, a rank receives at its own block of the send buffer.
Shape shape(const Sizing& s) {
  return {.sendcount = static_cast<std::size_t>(s.nranks) * s.count,
          .recvcount = s.count,
          .in_place_recv_offset = static_cast<std::size_t>(s.rank) * s.count};
}

// The reverse of all_gather: a rank must send all but its own part.
double bus_factor(int nranks) { return static_cast<double>(nranks - 1) / nranks; }

void launch(Communicator& comm, const Call& call) {
  comm.reduce_scatter(call.buffers, call.reduction, *call.stream);
}

void expect(Oracle& oracle, const Sizing& s) {
  oracle.reduce(0, s.count, static_cast<std::size_t>(s.rank) * s.count);
}

}  // namespace

const Collective kReduceScatter{
    .name = "reduce_scatter",
    .binary = "reduce_scatter_perf",
    .summary = "every rank ends with its own part of the reduction of all ranks' buffers",
    .reduces = true,
    .divides_by_ranks = true,
    .shape = shape,
    .bus_factor = bus_factor,
    .launch = launch,
    .expect = expect};

}  // namespace linerate
