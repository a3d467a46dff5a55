// See streaming.h.
#include "backends/host/streaming.h"

#include "devices/cpu/stream_copy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace linerate::host {
bool Streaming::pays(const std::byte* result, std::size_t footprint) {
  if (cache_bytes_ == 0 || footprint < kLeastBytes) return false;
  touched_ += footprint;
  Use& use = use_of(result);
  const bool known = use.result == result;
  const std::size_t since = touched_ - use.touched_before;
  use = {result, touched_};
  return footprint > cache_bytes_ || (known && since > cache_bytes_);
}

Streaming::Use& Streaming::use_of(const std::byte* result) {
  // Buffers are pages apart; the multiplier spreads them (Knuth, TAOCP 3, 6.4).
  const auto page = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(result)) >> 12;
  return uses_[page * 0x9e3779b97f4a7c15u >> 58];
}

std::size_t footprint_of(const Op& op, int rank, int nranks) {
  const auto [send, recv] = extent_of(op, rank, nranks);
  const bool apart =
      op.send.data() + send <= op.recv.data() || op.recv.data() + recv <= op.send.data();
  const auto n = static_cast<std::size_t>(nranks);
  return n * (apart ? send + recv : std::max(send, recv));
}

void move_bytes(std::byte* to, const std::byte* from, std::size_t bytes, bool streams) {
  if (to == from || bytes == 0) return;
  if (streams)
    stream_copy(to, from, bytes);
  else
    std::memcpy(to, from, bytes);
}

}  // namespace linerate::host
