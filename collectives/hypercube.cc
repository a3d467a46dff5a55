// hypercube: an all_gather made of log2(n) exchanges between neighbours in a hypercube.
#include "collectives/rows.h"

#include <fmt/format.h>

#include <bit>

namespace linerate {
namespace {

std::size_t blocks(const Sizing& s, int nblocks) {
  return s.count * static_cast<std::size_t>(nblocks);
}

Shape shape(const Sizing& s) {
  return {.sendcount = s.count,
          .recvcount = blocks(s, s.nranks),
          .in_place_send_offset = blocks(s, s.rank)};
}

// Step k moves 2^k parts, so n-1 parts of the n that a rank ends with are counted.
std::size_t counted(const Sizing& s) { return blocks(s, s.nranks - 1); }

// algbw counts only what crosses the link.
double bus_factor(int) { return 1.0; }

std::optional<std::string> refusal(int nranks) {
  const auto n = static_cast<unsigned>(nranks);
  if (std::has_single_bit(n)) return std::nullopt;
  return fmt::format(
      "hypercube needs a power of two ranks, but there are {}: run it on {} or {} ranks.", nranks,
      std::bit_floor(n), std::bit_ceil(n));
}

// The blocks [first, first + nblocks) of `b.recv`, sent, and what arrives at block `to`.
Buffers exchange(const Buffers& b, int first, int to, int nblocks) {
  const std::size_t block = b.count * bytes_of(b.type);
  const auto at = [&](int index) {
    return b.recv.subspan(block * static_cast<std::size_t>(index),
                          block * static_cast<std::size_t>(nblocks));
  };
  return {.send = at(first),
          .recv = at(to),
          .count = b.count * static_cast<std::size_t>(nblocks),
          .type = b.type};
}

// The own block, then an exchange along each dimension.
int steps(int nranks) { return std::bit_width(static_cast<unsigned>(nranks)); }

void keep_own_block(Communicator& comm, const Call& call) {
  const Buffers& b = call.buffers;
  const Buffers own = exchange(b, comm.rank(), comm.rank(), 1);
  if (b.send.data() == own.recv.data()) return;
  comm.send_recv({.send = b.send, .recv = own.recv, .count = b.count, .type = b.type}, comm.rank(),
                 comm.rank(), *call.stream);
}

void launch(Communicator& comm, const Call& call) {
  if (call.step == 0) return keep_own_block(comm, call);
  const int rank = comm.rank();
  const int width = 1 << (call.step - 1);
  const int held = rank / width * width;  // blocks [held, held + width) are here, held ^ width not
  comm.send_recv(exchange(call.buffers, held, held ^ width, width), rank ^ width, rank ^ width,
                 *call.stream);
}

void expect(Oracle& oracle, const Sizing& s) {
  for (int source = 0; source < s.nranks; ++source)
    oracle.copy({.offset = blocks(s, source), .count = s.count, .source_rank = source});
}

}  // namespace

const Collective kHypercube{
    .name = "hypercube",
    .binary = "hypercube_perf",
    .summary = "an all_gather made of log2(n) exchanges between pairs of ranks",
    .redop = "none",
    .divides_by_ranks = true,
    .chooses = false,
    .shape = shape,
    .counted = counted,
    .bus_factor = bus_factor,
    .refusal = refusal,
    .steps = steps,
    .launch = launch,
    .expect = expect};

}  // namespace linerate
