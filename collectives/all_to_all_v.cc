// all_to_all_v: every rank sends blocks of different sizes to the ranks.
#include "collectives/rows.h"
#include "collectives/traffic.h"

namespace linerate {
namespace {

Shape shape(const Sizing& s) {
  return {.sendcount = s.traffic->sent(s, s.rank), .recvcount = s.traffic->received(s, s.rank)};
}

std::size_t algbw_count(const Sizing& s) { return s.traffic->busiest(s); }

// As all_to_all; with uneven blocks a convention, not a bound.
double bus_factor(int nranks) { return static_cast<double>(nranks - 1) / nranks; }

void launch(Communicator& comm, const Call& call) {
  comm.all_to_all_v(call.buffers, call.send_ranges, call.recv_ranges, *call.stream);
}

void expect(Oracle& oracle, const Sizing& s) {
  const auto ranges = s.traffic->recv_ranges(s);
  for (int r = 0; r < s.nranks; ++r) {
    Sizing of_source = s;
    of_source.rank = r;
    const auto& into = ranges[static_cast<std::size_t>(r)];
    const auto from = s.traffic->send_ranges(of_source)[static_cast<std::size_t>(s.rank)];
    oracle.copy({into.offset, into.count, r, from.offset});
  }
}

}  // namespace

const Collective kAllToAllV{.name = "all_to_all_v",
                            .binary = "alltoallv_perf",
                            .summary = "every rank sends blocks of different sizes to the ranks",
                            .in_place = false,
                            .redop = "none",
                            .divides_by_ranks = true,
                            .varies = true,
                            .shape = shape,
                            .algbw_count = algbw_count,
                            .bus_factor = bus_factor,
                            .launch = launch,
                            .expect = expect};

}  // namespace linerate
