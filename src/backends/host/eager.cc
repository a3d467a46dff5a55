#include "backends/host/eager.h"

#include "devices/cpu/reduce.h"

#include <cassert>
#include <cstring>
#include <span>

namespace linerate::host {
namespace {

// What one rank deposits at most.
std::size_t deposit_bytes(const Op& op, int nranks) { return extent_of(op, op.peer, nranks).send; }

// The factor that precedes a deposit.
std::size_t factor_bytes(const Op& op) {
  return is_reduction(op.kind) && op.op == RedOp::mulsum ? sizeof(double) : 0;
}

void copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (to != from && bytes > 0) std::memcpy(to, from, bytes);
}

}  // namespace

Eager::Eager(Team& team)
    : team_(team),
      sources_(static_cast<std::size_t>(team.nranks())),
      factors_(static_cast<std::size_t>(team.nranks())) {}

void Eager::enter(const Op& op, ConstView deposit) {
  const auto factor = std::as_bytes(std::span(&op.premul, 1));
  team_.enter_with(op, factor.first(factor_bytes(op)), deposit);
}

// Senders that wait for nobody had better not: theirs are stores back to back (measured).
void Eager::prefetch_next(const Op& op) {
  team_.prefetch_next_cell(factor_bytes(op) + deposit_bytes(op, team_.nranks()));
}

// Waits for peers of which this rank reads `bytes` each.
void Eager::see(std::span<const int> peers, std::size_t bytes) {
  team_.see(peers);
  if (auto* const network = team_.network())
    for (const int peer : peers) network->receive(peer, bytes);
}

// op.recv = reduction over the deposits, which begin `skip` bytes into each payload. The own one is
// read where it came from: the cell's line may still be on its way here.
void Eager::reduce_deposits(const Op& op, std::size_t skip) {
  ReduceSpec spec{.type = op.type, .op = op.op, .nranks = team_.nranks()};
  for (int peer = 0; peer < team_.nranks(); ++peer) {
    const auto i = static_cast<std::size_t>(peer);
    const bool own = peer == team_.rank();
    const std::byte* const payload = team_.payload_of(peer);
    sources_[i] = (own ? op.send.data() : payload + factor_bytes(op)) + skip;
    if (op.op == RedOp::mulsum) std::memcpy(&factors_[i], payload, sizeof(double));
  }
  if (op.op == RedOp::mulsum) spec.premuls = factors_;
  linerate::reduce(op.recv.data(), sources_, op.count, spec);
}

// Block p of op.recv = the bytes of rank p's deposit that begin at `skip`.
void Eager::collect_deposits(const Op& op, std::size_t skip) {
  const std::size_t bytes = bytes_of_count(op);
  for (const int peer : team_.peers())
    copy(op.recv.data() + block_at(op, peer), team_.payload_of(peer) + skip, bytes);
  copy(op.recv.data() + block_at(op, team_.rank()), op.send.data() + skip, bytes);
}

void Eager::run_to_all(const Op& op) {
  enter(op, op.send.first(deposit_bytes(op, team_.nranks())));
  prefetch_next(op);
  see(team_.peers(), factor_bytes(op) + bytes_of_count(op));
  const std::size_t skip = sends_blocks(op.kind) ? block_at(op, team_.rank()) : 0;
  if (op.kind == OpKind::all_reduce || op.kind == OpKind::reduce_scatter)
    reduce_deposits(op, skip);
  else
    collect_deposits(op, skip);
}

void Eager::run_to_root(const Op& op) {
  enter(op, op.send.first(deposit_bytes(op, team_.nranks())));
  if (team_.rank() != op.peer) return;
  see(team_.peers(), factor_bytes(op) + bytes_of_count(op));
  if (op.kind == OpKind::reduce)
    reduce_deposits(op, 0);
  else
    collect_deposits(op, 0);
}

void Eager::run_from_root(const Op& op) {
  const std::size_t skip = op.kind == OpKind::scatter ? block_at(op, team_.rank()) : 0;
  const std::size_t bytes = bytes_of_count(op);
  if (team_.rank() == op.peer) {
    enter(op, op.send.first(deposit_bytes(op, team_.nranks())));
    prefetch_next(op);
    return copy(op.recv.data(), op.send.data() + skip, bytes);
  }
  enter(op, {});
  see({&op.peer, 1}, bytes);
  copy(op.recv.data(), team_.payload_of(op.peer) + skip, bytes);
}

// Reductions into one cold line take twice as long with it (measured).
void Eager::run(const Op& op) {
  if (!is_reduction(op.kind) || op.recv.size() > kLineBytes) result_.expect(op.recv);
  dispatch(op);
  if (auto* const network = team_.network()) network->end_call({});
}

void Eager::dispatch(const Op& op) {
  switch (op.kind) {
    case OpKind::all_reduce:
    case OpKind::reduce_scatter:
    case OpKind::all_gather:
    case OpKind::all_to_all:
      return run_to_all(op);
    case OpKind::reduce:
    case OpKind::gather:
      return run_to_root(op);
    case OpKind::broadcast:
    case OpKind::scatter:
      return run_from_root(op);
    case OpKind::all_to_all_v:
    case OpKind::send:
    case OpKind::recv:
    case OpKind::send_recv:
      break;
  }
  assert(false && "not an eager call");
}

}  // namespace linerate::host
