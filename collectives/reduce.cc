// reduce: the root ends with the reduction of all ranks' buffers.
#include "collectives/rows.h"

namespace linerate {
namespace {

Shape shape(const Sizing& s) { return {.sendcount = s.count, .recvcount = s.count}; }

// Every rank but the root must send something of full size.
double bus_factor(int) { return 1; }

void launch(Communicator& comm, const Call& call) {
  comm.reduce(call.buffers, call.reduction, call.root, *call.stream);
}

void expect(Oracle& oracle, const Sizing& s) {
  if (oracle.is_root()) oracle.reduce(0, s.count, 0);
}

}  // namespace

const Collective kReduce{.name = "reduce",
                         .binary = "reduce_perf",
                         .summary = "the root ends with the reduction of all ranks' buffers",
                         .rooted = true,
                         .reduces = true,
                         .shape = shape,
                         .bus_factor = bus_factor,
                         .launch = launch,
                         .expect = expect};

}  // namespace linerate
