// all_to_all beyond the smallest sizes, and all_to_all_v; see exchange.h.
#include "backends/host/exchange.h"

#include "backends/host/algorithms/rows.h"
#include "backends/host/peer_memory.h"
#include "backends/host/streaming.h"
#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

namespace linerate::host {
namespace {

// Two ranks' blocks for each other.
struct Pair {
  const std::byte* mine = nullptr;  // what I send
  PeerBytes theirs;                 // what the peer sends
  std::byte* to_me = nullptr;
  PeerBytes to_them;
};

// Moves [begin, end) in both directions through a room, so that it may be the same memory.
void swap_range(const Pair& pair, std::size_t begin, std::size_t end, View room) {
  for (std::size_t at = begin; at < end; at += room.size()) {
    const std::size_t bytes = std::min(room.size(), end - at);
    std::memcpy(room.data(), pair.mine + at, bytes);
    copy_from(pair.to_me + at, pair.theirs.after(at), bytes);
    copy_to(pair.to_them.after(at), room.data(), bytes);
  }
}

void swap_range(const Pair& pair, std::size_t begin, std::size_t end) {
  if (pair.theirs.is_here() && pair.to_them.is_here()) {
    std::array<std::byte, std::size_t{4} << 10> room;
    return swap_range(pair, begin, end, room);
  }
  std::array<std::byte, std::size_t{64} << 10> room;
  swap_range(pair, begin, end, room);
}

PeerBytes send_of(const Team& team, int peer) {
  return team.bytes_at(peer, team.buffers_of(peer).send);
}
PeerBytes recv_of(const Team& team, int peer) {
  return team.bytes_at(peer, team.buffers_of(peer).recv);
}

void exchange_with(Team& team, const Op& op, int peer, Stores stores) {
  const std::size_t bytes = bytes_of_count(op);
  const Pair pair{.mine = op.send.data() + block_at(op, peer),
                  .theirs = send_of(team, peer).after(block_at(op, team.rank())),
                  .to_me = op.recv.data() + block_at(op, peer),
                  .to_them = recv_of(team, peer).after(block_at(op, team.rank()))};
  const bool in_place = pair.mine == pair.to_me || pair.theirs == pair.to_them;
  if (!in_place)
    copy_from(pair.to_me, pair.theirs, bytes, stores);
  else if (team.rank() < peer)
    swap_range(pair, 0, bytes / 2);
  else
    swap_range(pair, bytes / 2, bytes);
}

}  // namespace

// On an emulated network a rank pays for all that it receives, whoever moved it in place.
// Out of place each rank fetches. In place, each of two ranks swaps one half of their two blocks.
void all_to_all(Team& team, const Op& op, Stores stores) {
  assert(op.send.size() >= block_at(op, team.nranks()));
  assert(op.recv.size() >= block_at(op, team.nranks()));
  team.enter(op, nullptr, variant_of(kFlat));
  team.see(team.peers());
  team.start_touching(team.peers());
  const std::size_t own = block_at(op, team.rank());
  if (op.send.data() != op.recv.data())
    move_bytes(op.recv.data() + own, op.send.data() + own, bytes_of_count(op), stores);
  for (int step = 1; step < team.nranks(); ++step) {
    const int peer = (team.rank() + step) % team.nranks();
    exchange_with(team, op, peer, stores);
    if (team.network() != nullptr) team.network()->fetch(peer, bytes_of_count(op));
  }
  finish(stores);
  team.leave();
}

void all_to_all_v(Team& team, const Op& op, Stores stores) {
  const std::size_t element = bytes_of(op.type);
  const auto n = static_cast<std::size_t>(team.nranks());
  assert(op.send_ranges.size() == n && op.recv_ranges.size() == n);
  for (std::size_t peer = 0; peer < n; ++peer)
    team.control().offer(team.rank(), static_cast<int>(peer)) = {
        op.send_ranges[peer].offset * element, op.send_ranges[peer].count * element};
  team.enter(op);
  team.see(team.peers());
  team.start_touching(team.peers());
  for (int step = 0; step < team.nranks(); ++step) {
    const int peer = (team.rank() + step) % team.nranks();
    const Offer theirs = team.control().offer(peer, team.rank());
    const Range& mine = op.recv_ranges[static_cast<std::size_t>(peer)];
    if (theirs.bytes != mine.count * element)
      throw Error(fmt::format("all_to_all_v: rank {} sends {} bytes to rank {}, which expects {}.",
                              peer, theirs.bytes, team.rank(), mine.count * element));
    assert(op.recv.size() >= (mine.offset + mine.count) * element);
    copy_from(op.recv.data() + mine.offset * element, send_of(team, peer).after(theirs.offset),
              theirs.bytes, stores);
    if (team.network() != nullptr) team.network()->fetch(peer, theirs.bytes);
  }
  finish(stores);
  team.leave();
}

}  // namespace linerate::host
