// Small collectives, see collectives.h: deposit, wait, read the peers' deposits.
#include "backends/host/collectives.h"
#include "backends/host/sources.h"

#include <cassert>
#include <cstring>

namespace linerate::host::eager {
namespace {

// What one rank deposits at most.
std::size_t deposit_bytes(const Op& op, int nranks) {
  const std::size_t bytes = bytes_of_count(op);
  switch (op.kind) {
    case OpKind::all_reduce:
    case OpKind::reduce:
    case OpKind::all_gather:
    case OpKind::broadcast:
    case OpKind::gather:
      return bytes;
    case OpKind::reduce_scatter:
    case OpKind::scatter:
    case OpKind::all_to_all:
      return bytes * static_cast<std::size_t>(nranks);
    case OpKind::all_to_all_v:
    case OpKind::send:
    case OpKind::recv:
    case OpKind::send_recv:
      break;
  }
  __builtin_unreachable();
}

bool is_collective(OpKind kind) {
  return kind != OpKind::all_to_all_v && kind != OpKind::send && kind != OpKind::recv &&
         kind != OpKind::send_recv;
}

void copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}

// op.recv = reduction over the deposits, which begin `skip` bytes into each payload.
void reduce_deposits(Team& team, const Op& op, std::size_t skip) {
  const auto sources = team.pointers();
  for (int peer = 0; peer < team.nranks(); ++peer)
    sources[static_cast<std::size_t>(peer)] = team.payload_of(peer) + skip;
  linerate::reduce(op.recv.data(), sources, op.count, spec_of(team, op));
}

// Block p of op.recv = the bytes of rank p's deposit that begin at `skip`.
void collect_deposits(Team& team, const Op& op, std::size_t skip) {
  const std::size_t bytes = bytes_of_count(op);
  for (int peer = 0; peer < team.nranks(); ++peer)
    copy(op.recv.data() + block_at(op, peer), team.payload_of(peer) + skip, bytes);
}

void run_to_all(Team& team, const Op& op) {
  team.enter_with(op, op.send.first(deposit_bytes(op, team.nranks())));
  team.see_all();
  const std::size_t skip = block_at(op, team.rank());
  if (op.kind == OpKind::all_reduce) return reduce_deposits(team, op, 0);
  if (op.kind == OpKind::reduce_scatter) return reduce_deposits(team, op, skip);
  collect_deposits(team, op, op.kind == OpKind::all_to_all ? skip : 0);
}

void run_to_root(Team& team, const Op& op) {
  team.enter_with(op, op.send.first(deposit_bytes(op, team.nranks())));
  if (team.rank() != op.peer) return;
  team.see_all();
  if (op.kind == OpKind::reduce)
    reduce_deposits(team, op, 0);
  else
    collect_deposits(team, op, 0);
}

void run_from_root(Team& team, const Op& op) {
  const std::size_t bytes = bytes_of_count(op);
  const bool root = team.rank() == op.peer;
  team.enter_with(op, root ? op.send.first(deposit_bytes(op, team.nranks())) : ConstView());
  team.see(op.peer);
  const std::size_t skip = op.kind == OpKind::scatter ? block_at(op, team.rank()) : 0;
  copy(op.recv.data(), team.payload_of(op.peer) + skip, bytes);
}

}  // namespace

bool fits(const Op& op, int nranks) {
  return is_collective(op.kind) && op.count <= kEagerBytes &&
         deposit_bytes(op, nranks) <= kEagerBytes;
}

void run(Team& team, const Op& op) {
  switch (op.kind) {
    case OpKind::all_reduce:
    case OpKind::reduce_scatter:
    case OpKind::all_gather:
    case OpKind::all_to_all:
      return run_to_all(team, op);
    case OpKind::reduce:
    case OpKind::gather:
      return run_to_root(team, op);
    case OpKind::broadcast:
    case OpKind::scatter:
      return run_from_root(team, op);
    case OpKind::all_to_all_v:
    case OpKind::send:
    case OpKind::recv:
    case OpKind::send_recv:
      break;
  }
  assert(!"not an eager call");
}

}  // namespace linerate::host::eager
