// broadcast: every rank ends with the root's buffer.
#include "collectives/rows.h"

namespace linerate {
namespace {

Shape shape(const Sizing& s) { return {.sendcount = s.count, .recvcount = s.count}; }

// Every rank but the root must receive all of it.
double bus_factor(int) { return 1; }

void launch(Communicator& comm, const Call& call) {
  comm.broadcast(call.buffers, call.root, *call.stream);
}

void expect(Oracle& oracle, const Sizing& s) {
  oracle.copy({.count = s.count, .source_rank = oracle.root()});
}

}  // namespace

const Collective kBroadcast{.name = "broadcast",
                            .binary = "broadcast_perf",
                            .summary = "every rank ends with the root's buffer",
                            .rooted = true,
                            .redop = "none",
                            .shape = shape,
                            .bus_factor = bus_factor,
                            .launch = launch,
                            .expect = expect};

}  // namespace linerate
