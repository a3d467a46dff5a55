// Pull: each rank that wants the result reads everybody's whole buffer and writes to nobody else's.
// More bytes than flat, but no line of a peer's buffer has to be owned first: best where the
// payload is a few lines.
#include "backends/host/algorithms/pieces.h"
#include "backends/host/algorithms/rows.h"

namespace linerate::host {
namespace {

bool defined(const Problem& problem) {
  return problem.kind == OpKind::all_reduce || problem.kind == OpKind::reduce ||
         problem.kind == OpKind::broadcast;
}

Step reduce_all(const Problem& problem, const Place& to) {
  return {.from = everywhere(problem.nranks, BufferKind::send, 0),
          .to = {to},
          .count = problem.count,
          .completes = true};
}

// Through the scratch buffer: in place, the result would overwrite what others still read.
Schedule all_reduce(const Problem& problem, int rank) {
  Step store{.from = {{rank, BufferKind::scratch, 0}},
             .to = {{rank, BufferKind::recv, 0}},
             .count = problem.count};
  for (int peer = 0; peer < problem.nranks; ++peer)
    if (peer != rank) store.waits.push_back({peer, 1});
  return {.steps = {reduce_all(problem, {rank, BufferKind::scratch, 0}), store},
          .scratch_count = problem.count};
}

Schedule schedule(const Problem& problem, int rank) {
  if (problem.kind == OpKind::all_reduce) return all_reduce(problem, rank);
  if (problem.kind == OpKind::reduce)
    return rank == problem.root
               ? Schedule{.steps = {reduce_all(problem, {rank, BufferKind::recv, 0})}}
               : Schedule{};
  return {.steps = {{.from = {{problem.root, BufferKind::send, 0}},
                     .to = {{rank, BufferKind::recv, 0}},
                     .count = problem.count}}};
}

}  // namespace

const Algorithm kPull{
    .name = "pull",
    .words = "each rank reads all others' buffers whole",
    .defined = defined,
    .schedule = schedule,
};

}  // namespace linerate::host
