// scatter: every rank ends with its own block of the root's buffer.
#include "collectives/rows.h"

namespace linerate {
namespace {

// In place, a rank receives at its own block of the send buffer.
Shape shape(const Sizing& s) {
  return {.sendcount = static_cast<std::size_t>(s.nranks) * s.count,
          .recvcount = s.count,
          .in_place_recv_offset = static_cast<std::size_t>(s.rank) * s.count};
}

// The root's link carries all blocks but its own.
double bus_factor(int nranks) { return static_cast<double>(nranks - 1) / nranks; }

void launch(Communicator& comm, const Call& call) {
  comm.scatter(call.buffers, call.root, *call.stream);
}

void expect(Oracle& oracle, const Sizing& s) {
  oracle.copy({.count = s.count,
               .source_rank = oracle.root(),
               .source_index = static_cast<std::size_t>(s.rank) * s.count});
}

}  // namespace

const Collective kScatter{.name = "scatter",
                          .binary = "scatter_perf",
                          .summary = "every rank ends with its own block of the root's buffer",
                          .rooted = true,
                          .redop = "none",
                          .divides_by_ranks = true,
                          .shape = shape,
                          .bus_factor = bus_factor,
                          .launch = launch,
                          .expect = expect};

}  // namespace linerate
