// See memory_use.h.
#include "bench/memory_use.h"

namespace linerate {
namespace {

bool tells(const Session& session) {
  return session.ranks().front().device->kind() == DeviceKind::cuda;
}

std::size_t free_now(const Session& session) {
  return tells(session) ? session.ranks().front().device->free_bytes() : 0;
}

std::uint64_t taken(std::size_t before, std::size_t after) {
  return before > after ? before - after : 0;
}

}  // namespace

void MemoryUse::note_initialised(const Session& session) { initialised_free_ = free_now(session); }

void MemoryUse::note_allocated(const Session& session) { allocated_free_ = free_now(session); }

// The names are nccl-tests'.
MemoryUse::Amounts MemoryUse::amounts(const Session& session) const {
  const auto& local = session.ranks().front();
  if (!tells(session)) return {{"buffers", 2 * local.send.bytes() + local.spare.bytes()}};
  return {{"Initialization", taken(session.free_before_init(), initialised_free_)},
          {"User-Allocated", taken(initialised_free_, allocated_free_)},
          {"Collective", taken(allocated_free_, free_now(session))}};
}

}  // namespace linerate
