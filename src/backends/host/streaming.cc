#include "backends/host/streaming.h"

#include "base/splitmix.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace linerate::host {

Stores Streaming::stores(const std::byte* result, std::size_t footprint, bool copies) {
  if (cache_bytes_ == 0 || footprint < kMinBytes) return Stores::cached;
  touched_ += footprint;
  Use& use = use_of(result);
  const bool used = use.result != nullptr;
  const std::size_t since = touched_ - use.touched_before;
  use = {result, touched_};
  if (footprint > cache_bytes_ || (used && since > cache_bytes_)) return Stores::past_caches;
  if (footprint < cache_bytes_ - cache_bytes_ / 4) return Stores::cached;
  return copies && has_fast_strings() ? Stores::strings : Stores::past_caches;
}

Streaming::Use& Streaming::use_of(const std::byte* result) {
  // Buffers are pages apart; the multiplier spreads them (Knuth, TAOCP 3, 6.4).
  const auto page = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(result)) >> 12;
  return uses_[page * kSplitMixStep >> (64 - kUseBits)];
}

namespace {

// Of all ranks' send and of all ranks' recv buffers.
Extent extent_of_all(const Op& op, int rank, int nranks) {
  const auto n = static_cast<std::size_t>(nranks);
  if (!is_rooted(op.kind)) {
    const Extent own = extent_of(op, rank, nranks);
    return {n * own.send, n * own.recv};
  }
  const Extent root = extent_of(op, op.peer, nranks);
  const Extent other = extent_of(op, (op.peer + 1) % std::max(nranks, 2), nranks);
  return {root.send + (n - 1) * other.send, root.recv + (n - 1) * other.recv};
}

}  // namespace

// What other ranks' buffers have in common with each other this rank cannot see: where only the
// root has both, they count as one, so that all ranks decide alike.
std::size_t footprint_of(const Op& op, int rank, int nranks) {
  const Extent own = extent_of(op, rank, nranks);
  const Extent all = extent_of_all(op, rank, nranks);
  const bool apart =
      op.send.data() + own.send <= op.recv.data() || op.recv.data() + own.recv <= op.send.data();
  return apart && !is_rooted(op.kind) ? all.send + all.recv : std::max(all.send, all.recv);
}

void move_bytes(std::byte* to, const std::byte* from, std::size_t bytes, Stores stores) {
  if (to == from || bytes == 0) return;
  switch (stores) {
    case Stores::cached:
      std::memcpy(to, from, bytes);
      return;
    case Stores::strings:
      return string_copy(to, from, bytes);
    case Stores::past_caches:
      return stream_copy(to, from, bytes);
  }
}

}  // namespace linerate::host
