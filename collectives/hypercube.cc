// hypercube: an all_gather in log2(n) exchanges with partners at doubling distance.
#include "collectives/rows.h"

#include <fmt/format.h>

#include <cstring>

namespace linerate {
namespace {

// In place, a rank's own block already lies where it belongs in recv.
Shape shape(const Sizing& s) {
  return {.sendcount = s.count,
          .recvcount = static_cast<std::size_t>(s.nranks) * s.count,
          .in_place_send_offset = static_cast<std::size_t>(s.rank) * s.count};
}

std::size_t algbw_count(const Sizing& s) {
  return static_cast<std::size_t>(s.nranks - 1) * s.count;
}

// algbw counts exactly what a rank receives over all steps.
double bus_factor(int) { return 1; }

// Step k: ranks that differ in bit k swap all blocks they hold, which lie side by side.
void launch(Communicator& comm, const Call& call) {
  const auto block = call.buffers.count * bytes_of(call.buffers.type);
  const View recv = call.buffers.recv;
  const auto rank = static_cast<std::size_t>(comm.rank());
  const auto own = recv.subspan(rank * block, block);
  if (own.data() != call.buffers.send.data() && block > 0)
    std::memcpy(own.data(), call.buffers.send.data(), block);
  for (std::size_t step = 1; step < static_cast<std::size_t>(comm.nranks()); step *= 2) {
    const auto partner = rank ^ step;
    const auto bytes = step * block;
    const Buffers part{.send = recv.subspan(rank / step * step * block, bytes),
                       .recv = recv.subspan(partner / step * step * block, bytes),
                       .count = step * call.buffers.count,
                       .type = call.buffers.type};
    comm.send_recv(part, static_cast<int>(partner), static_cast<int>(partner), *call.stream);
  }
}

void expect(Oracle& oracle, const Sizing& s) {
  for (int r = 0; r < s.nranks; ++r)
    oracle.copy(
        {.offset = static_cast<std::size_t>(r) * s.count, .count = s.count, .source_rank = r});
}

std::optional<std::string> refusal(int nranks) {
  if ((nranks & (nranks - 1)) == 0) return std::nullopt;
  return fmt::format("hypercube needs a power of two of ranks, not {}: choose 2, 4, 8, 16, ….",
                     nranks);
}

}  // namespace

const Collective kHypercube{
    .name = "hypercube",
    .binary = "hypercube_perf",
    .summary = "an all_gather in log2(n) exchanges with partners at doubling distance",
    .redop = "none",
    .divides_by_ranks = true,
    .shape = shape,
    .algbw_count = algbw_count,
    .bus_factor = bus_factor,
    .refusal = refusal,
    .launch = launch,
    .expect = expect};

}  // namespace linerate
