// Eager: the payload travels beside the flag that announces it. Runs outside of schedules, because
// its whole time is that of one cache line; see ../eager.h.
#include "backends/host/algorithms/rows.h"
#include "backends/host/control.h"

namespace linerate::host {
namespace {

// What one rank deposits: a block for each rank, or one for all.
std::size_t deposit_bytes(const Problem& problem) {
  const std::size_t block = problem.count * problem.element_bytes;
  return sends_blocks(problem.kind) ? block * static_cast<std::size_t>(problem.nranks) : block;
}

bool defined(const Problem& problem) {
  switch (problem.kind) {
    case OpKind::all_to_all_v:
    case OpKind::send:
    case OpKind::recv:
    case OpKind::send_recv:
      return false;
    default:
      return problem.count <= kEagerBytes && deposit_bytes(problem) <= kEagerBytes;
  }
}

}  // namespace

const Algorithm kEager{
    .name = "eager",
    .words = "small payloads travel beside the flag that announces them",
    .defined = defined,
    .schedule = nullptr,
};

}  // namespace linerate::host
