// Flat: every byte is read once from where it is and written once to where it belongs, each rank
// doing an equal share of all ranks' work. all_to_all needs a swap in place: see ../exchange.h.
#include "backends/host/algorithms/pieces.h"
#include "backends/host/algorithms/rows.h"

#include <cassert>

namespace linerate::host {
namespace {

bool defined(const Problem& problem) {
  switch (problem.kind) {
    case OpKind::all_reduce:
    case OpKind::reduce_scatter:
    case OpKind::reduce:
    case OpKind::all_gather:
    case OpKind::broadcast:
    case OpKind::gather:
    case OpKind::scatter:
    case OpKind::all_to_all:
      return true;
    case OpKind::all_to_all_v:
    case OpKind::send:
    case OpKind::recv:
    case OpKind::send_recv:
      return false;
  }
  __builtin_unreachable();
}

// This rank's share of a buffer of `count` elements.
Range share(const Problem& problem, int rank) {
  return slice_of(problem.count, problem.element_bytes, rank, problem.nranks);
}

Step reduce_share(const Problem& problem, int rank) {
  const Range own = share(problem, rank);
  Step step{.from = everywhere(problem.nranks, BufferKind::send, own.offset),
            .count = own.count,
            .completes = true};
  if (problem.kind == OpKind::reduce)
    step.to = {{problem.root, BufferKind::recv, own.offset}};
  else
    step.to = everywhere_from(rank, problem.nranks, BufferKind::recv, own.offset);
  return step;
}

Step reduce_own_block(const Problem& problem, int rank) {
  const std::size_t offset = static_cast<std::size_t>(rank) * problem.count;
  return {.from = everywhere(problem.nranks, BufferKind::send, offset),
          .to = {{rank, BufferKind::recv, 0}},
          .count = problem.count,
          .completes = true};
}

// It begins with its own block, and so never reads what all others read too.
std::vector<Step> fetch_blocks(const Problem& problem, int rank) {
  std::vector<Step> steps;
  for (int i = 0; i < problem.nranks; ++i) {
    const int peer = (rank + i) % problem.nranks;
    steps.push_back(
        {.from = {{peer, BufferKind::send, 0}},
         .to = {{rank, BufferKind::recv, static_cast<std::size_t>(peer) * problem.count}},
         .count = problem.count});
  }
  return steps;
}

Step carry_share(const Problem& problem, int rank) {
  const Range own = share(problem, rank);
  return {.from = {{problem.root, BufferKind::send, own.offset}},
          .to = everywhere_from(rank, problem.nranks, BufferKind::recv, own.offset),
          .count = own.count};
}

Step move_block(const Problem& problem, int rank) {
  const std::size_t offset = static_cast<std::size_t>(rank) * problem.count;
  if (problem.kind == OpKind::gather)
    return {.from = {{rank, BufferKind::send, 0}},
            .to = {{problem.root, BufferKind::recv, offset}},
            .count = problem.count};
  return {.from = {{problem.root, BufferKind::send, offset}},
          .to = {{rank, BufferKind::recv, 0}},
          .count = problem.count};
}

// In place too: slice i of every buffer is touched by rank i only, which has reduced a block of all
// send buffers before it writes that block of any receive buffer.
Schedule schedule(const Problem& problem, int rank) {
  assert(problem.kind != OpKind::all_to_all);
  switch (problem.kind) {
    case OpKind::all_reduce:
    case OpKind::reduce:
      return {.steps = {reduce_share(problem, rank)}};
    case OpKind::reduce_scatter:
      return {.steps = {reduce_own_block(problem, rank)}};
    case OpKind::all_gather:
      return {.steps = fetch_blocks(problem, rank)};
    case OpKind::broadcast:
      return {.steps = {carry_share(problem, rank)}};
    default:
      return {.steps = {move_block(problem, rank)}};
  }
}

}  // namespace

const Algorithm kFlat{
    .name = "flat",
    .words = "each rank does its share of the work in everybody's buffers",
    .defined = defined,
    .schedule = schedule,
};

}  // namespace linerate::host
