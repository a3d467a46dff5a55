// Large all_gather, broadcast, gather and scatter, see collectives.h.
#include "backends/host/collectives.h"
#include "backends/host/slice.h"

#include <cassert>
#include <cstring>

namespace linerate::host::direct {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{16} << 10;  // half a first-level cache

// A rank's own part is in its place already when the call is in place.
void copy_unless_same(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (to != from && bytes > 0) std::memcpy(to, from, bytes);
}

}  // namespace

// Each rank fetches; it begins with its own block, and so never reads what all others read too.
void all_gather(Team& team, const Op& op) {
  assert(op.recv.size() >= block_at(op, team.nranks()));
  team.enter(op);
  team.see_all();
  team.start_touching();
  for (int step = 0; step < team.nranks(); ++step) {
    const int peer = (team.rank() + step) % team.nranks();
    copy_unless_same(op.recv.data() + block_at(op, peer), team.send_of(peer), bytes_of_count(op));
  }
  team.leave();
}

// Each rank, the root too, carries its slice of the root's buffer to everybody: equal work for all.
void broadcast(Team& team, const Op& op) {
  assert(op.recv.size() >= bytes_of_count(op));
  team.enter(op);
  team.see_all();
  team.start_touching();
  const Range mine = slice_of(bytes_of_count(op), 1, team.rank(), team.nranks());
  for_each_block(mine, kBlockBytes, [&](const Range& block) {
    const std::byte* const from = team.send_of(op.peer) + block.offset;
    for (int step = 0; step < team.nranks(); ++step) {
      const int peer = (team.rank() + step) % team.nranks();
      copy_unless_same(team.recv_of(peer) + block.offset, from, block.count);
    }
  });
  team.leave();
}

// Each rank brings its block to the root, which waits for all; the others need not.
void gather(Team& team, const Op& op) {
  assert(op.send.size() >= bytes_of_count(op));
  const bool root = team.rank() == op.peer;
  team.enter(op);
  team.see(op.peer);
  team.start_touching(op.peer);
  copy_unless_same(team.recv_of(op.peer) + block_at(op, team.rank()), op.send.data(),
                   bytes_of_count(op));
  if (root)
    team.leave();
  else
    team.leave_at_once();
}

// Each rank fetches its block from the root, which waits for all; the others need not.
void scatter(Team& team, const Op& op) {
  assert(op.recv.size() >= bytes_of_count(op));
  const bool root = team.rank() == op.peer;
  team.enter(op);
  team.see(op.peer);
  team.start_touching(op.peer);
  copy_unless_same(op.recv.data(), team.send_of(op.peer) + block_at(op, team.rank()),
                   bytes_of_count(op));
  if (root)
    team.leave();
  else
    team.leave_at_once();
}

}  // namespace linerate::host::direct
