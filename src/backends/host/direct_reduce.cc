// Large reductions, see collectives.h: each rank reduces its slice of all ranks' buffers.
#include "backends/host/collectives.h"
#include "backends/host/slice.h"
#include "backends/host/sources.h"

#include <algorithm>
#include <cstring>

namespace linerate::host::direct {
namespace {

// A block of each source and destination stays in the second-level cache while it is worked on.
std::size_t block_elements(const Team& team, const Op& op) {
  constexpr std::size_t kCacheBytes = std::size_t{256} << 10;
  constexpr std::size_t kLeastBytes = std::size_t{4} << 10;
  constexpr std::size_t kMostBytes = std::size_t{16} << 10;
  const std::size_t fair = kCacheBytes / (2 * static_cast<std::size_t>(team.nranks()));
  return std::clamp(fair, kLeastBytes, kMostBytes) / bytes_of(op.type);
}

// Reduces `slice` of all ranks' send buffers, block by block, to to(block); then calls
// after(block).
template <typename To, typename After>
void reduce_slice(Team& team, const Op& op, const Range& slice, To to, After after) {
  const ReduceSpec spec = spec_of(team, op);
  const auto sources = team.pointers();
  for_each_block(slice, block_elements(team, op), [&](const Range& block) {
    const std::size_t offset = block.offset * bytes_of(op.type);
    for (int peer = 0; peer < team.nranks(); ++peer)
      sources[static_cast<std::size_t>(peer)] = team.send_of(peer) + offset;
    linerate::reduce(to(block), sources, block.count, spec);
    after(block);
  });
}

Range own_slice(const Team& team, const Op& op) {
  return slice_of(op.count, bytes_of(op.type), team.rank(), team.nranks());
}

constexpr auto kNothing = [](const Range&) {};

}  // namespace

// In place too: slice i of every buffer is touched by rank i only, which has reduced a block of all
// send buffers before it writes that block of any receive buffer.
void all_reduce(Team& team, const Op& op) {
  team.enter(op);
  team.see_all();
  team.start_touching();
  const auto own = [&](const Range& block) {
    return op.recv.data() + block.offset * bytes_of(op.type);
  };
  const auto store_to_peers = [&](const Range& block) {
    const std::size_t offset = block.offset * bytes_of(op.type);
    for (int step = 1; step < team.nranks(); ++step) {
      const int peer = (team.rank() + step) % team.nranks();
      std::memcpy(team.recv_of(peer) + offset, own(block), block.count * bytes_of(op.type));
    }
  };
  reduce_slice(team, op, own_slice(team, op), own, store_to_peers);
  team.leave();
}

// In place too: this rank writes to its own block of its send buffer, which no peer reads.
void reduce_scatter(Team& team, const Op& op) {
  team.enter(op);
  team.see_all();
  team.start_touching();
  const std::size_t first = static_cast<std::size_t>(team.rank()) * op.count;
  const auto own = [&](const Range& block) {
    return op.recv.data() + (block.offset - first) * bytes_of(op.type);
  };
  reduce_slice(team, op, {first, op.count}, own, kNothing);
  team.leave();
}

void reduce(Team& team, const Op& op) {
  team.enter(op);
  team.see_all();
  team.start_touching();
  const auto roots = [&](const Range& block) {
    return team.recv_of(op.peer) + block.offset * bytes_of(op.type);
  };
  reduce_slice(team, op, own_slice(team, op), roots, kNothing);
  team.leave();
}

}  // namespace linerate::host::direct
