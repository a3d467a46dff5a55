// Whether a call's stores should bypass the caches.
#pragma once

#include "comm/op.h"

#include <array>
#include <cstddef>

namespace linerate::host {

// Bytes of the distinct buffers of all ranks of a call.
std::size_t footprint_of(const Op& op, int rank, int nranks);

// A store through the cache first reads the line that it will overwrite; a streaming one does not,
// but leaves nothing in the cache. It pays where the lines would not stay there until the next use:
// when the buffers of one call take three quarters of the cache, which holds other things too, or
// when so much else was touched since these buffers were last used that they have left it. Of one
// rank; used by one thread.
class Streaming {
 public:
  // `cache_bytes`: of the last-level cache that all ranks of the call share; 0: unknown, never
  // streams.
  explicit Streaming(std::size_t cache_bytes) : cache_bytes_(cache_bytes) {}

  // For the next call, whose ranks' buffers hold `footprint` bytes together and whose result on
  // this rank begins at `result`.
  bool pays(const std::byte* result, std::size_t footprint);
  bool pays(const Op& op, int rank, int nranks) {
    const auto n = static_cast<std::size_t>(nranks);
    const bool small =
        op.kind != OpKind::all_to_all_v && 2 * n * n * bytes_of_count(op) < kMinBytes;
    return !small && pays(op.recv.data(), footprint_of(op, rank, nranks));
  }

 private:
  struct Use {
    const std::byte* result = nullptr;
    std::size_t touched_before = 0;  // bytes touched by all calls until then
  };
  static constexpr unsigned kUseBits = 10;
  static constexpr std::size_t kMinBytes = std::size_t{64} << 10;  // below, latency is hidden

  // The last use among results that share its place. Another one than `result` tells as much: since
  // then `result` has not been used.
  Use& use_of(const std::byte* result);

  std::size_t cache_bytes_;
  std::size_t touched_ = 0;
  std::array<Use, std::size_t{1} << kUseBits> uses_{};
};

// memcpy, or a copy past the caches, which needs end_streaming() before it is announced. Nothing
// where both are the same.
void move_bytes(std::byte* to, const std::byte* from, std::size_t bytes, bool streams);

}  // namespace linerate::host
