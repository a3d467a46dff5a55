// all_to_all: every rank sends a different block to every rank.
#include "collectives/rows.h"

namespace linerate {
namespace {

Shape shape(const Sizing& s) {
  const auto total = static_cast<std::size_t>(s.nranks) * s.count;
  return {.sendcount = total, .recvcount = total};
}

// All but the block for itself leaves a rank.
double bus_factor(int nranks) { return static_cast<double>(nranks - 1) / nranks; }

void launch(Communicator& comm, const Call& call) { comm.all_to_all(call.buffers, *call.stream); }

void expect(Oracle& oracle, const Sizing& s) {
  for (int r = 0; r < s.nranks; ++r)
    oracle.copy({.offset = static_cast<std::size_t>(r) * s.count,
                 .count = s.count,
                 .source_rank = r,
                 .source_index = static_cast<std::size_t>(s.rank) * s.count});
}

}  // namespace

const Collective kAllToAll{.name = "all_to_all",
                           .binary = "alltoall_perf",
                           .summary = "every rank sends a different block to every rank",
                           .in_place = false,
                           .redop = "none",
                           .divides_by_ranks = true,
                           .shape = shape,
                           .bus_factor = bus_factor,
                           .launch = launch,
                           .expect = expect};

}  // namespace linerate
