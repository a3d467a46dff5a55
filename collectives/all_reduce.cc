// all_reduce: every rank ends with the reduction of all ranks' buffers.
#include "collectives/rows.h"

namespace linerate {
namespace {

Shape shape(const Sizing& s) { return {.sendcount = s.count, .recvcount = s.count}; }

// Each element leaves and enters every rank at least 2 (n-1)/n times (reduce-scatter, all-gather).
double bus_factor(int nranks) { return 2.0 * (nranks - 1) / nranks; }

void launch(Communicator& comm, const Call& call) {
  comm.all_reduce(call.buffers, call.reduction, *call.stream);
}

void expect(Oracle& oracle, const Sizing& s) { oracle.reduce(0, s.count, 0); }

}  // namespace

const Collective kAllReduce{.name = "all_reduce",
                            .binary = "all_reduce_perf",
                            .summary = "every rank ends with the reduction of all ranks' buffers",
                            .reduces = true,
                            .shape = shape,
                            .bus_factor = bus_factor,
                            .launch = launch,
                            .expect = expect};

}  // namespace linerate
