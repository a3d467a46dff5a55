// sendrecv: every rank sends to the next rank and receives from the one before.
#include "collectives/rows.h"

namespace linerate {
namespace {

Shape shape(const Sizing& s) { return {.sendcount = s.count, .recvcount = s.count}; }

// One direction of a ring: each link carries the buffer out and another one in.
double bus_factor(int) { return 1; }

void launch(Communicator& comm, const Call& call) {
  const int n = comm.nranks();
  comm.send_recv(call.buffers, (comm.rank() + 1) % n, (comm.rank() + n - 1) % n, *call.stream);
}

void expect(Oracle& oracle, const Sizing& s) {
  oracle.copy({.count = s.count, .source_rank = (s.rank + s.nranks - 1) % s.nranks});
}

}  // namespace

const Collective kSendrecv{
    .name = "sendrecv",
    .binary = "sendrecv_perf",
    .summary = "every rank sends to the next rank and receives from the one before",
    .in_place = false,
    .redop = "sum",
    .chooses = false,
    .shape = shape,
    .bus_factor = bus_factor,
    .launch = launch,
    .expect = expect};

}  // namespace linerate
