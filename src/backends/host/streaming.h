// How a call's stores reach memory: through the caches, or without reading what they overwrite.
#pragma once

#include "base/stream_copy.h"
#include "comm/op.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace linerate::host {

// Bytes of the distinct buffers of all ranks of a call.
std::size_t footprint_of(const Op& op, int rank, int nranks);

enum class Stores : std::uint8_t { cached, strings, past_caches };

// A store through the cache first reads the line that it will overwrite; one past the caches does
// not, but leaves nothing there. It pays where the lines would not stay until the next use: when
// the buffers of one call take three quarters of the cache, which holds other things too, or when
// so much else was touched since these buffers were last used that they have left it. As long as
// the cache would hold them, copies are made by the CPU's string instruction, where it is fast (2
// ranks, AMD EPYC with 32 MiB: sendrecv of 6 MiB 1.6 times as fast as past the caches, broadcast of
// 12 MiB twice; all_reduce 0.7 times, so reductions go past). Of one rank; used by one thread.
class Streaming {
 public:
  // `cache_bytes`: of the last-level cache that all ranks of the call share; 0: unknown, always
  // Stores::cached.
  explicit Streaming(std::size_t cache_bytes) : cache_bytes_(cache_bytes) {}

  // For the next call, whose ranks' buffers hold `footprint` bytes together and whose result on
  // this rank begins at `result`. `copies`: it reduces nothing.
  Stores stores(const std::byte* result, std::size_t footprint, bool copies);
  Stores stores(const Op& op, int rank, int nranks) {
    const auto n = static_cast<std::size_t>(nranks);
    const bool small =
        op.kind != OpKind::all_to_all_v && 2 * n * n * bytes_of_count(op) < kMinBytes;
    if (small) return Stores::cached;
    return stores(op.recv.data(), footprint_of(op, rank, nranks), !is_reduction(op.kind));
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

// A copy, which finish() must follow before it is announced. Nothing where both are the same.
void move_bytes(std::byte* to, const std::byte* from, std::size_t bytes, Stores stores);

inline void finish(Stores stores) {
  if (stores == Stores::past_caches) end_streaming();
}

}  // namespace linerate::host
