// Gloo's messages as the calls of ours send them.
#pragma once

#include "comm/buffer.h"

#include <gloo/context.h>
#include <gloo/transport/unbound_buffer.h>
#include <gloo/types.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

namespace linerate::gloo {

// Messages between two ranks match by slot, in their order within one. These prefixes are beyond
// those of Gloo's own algorithms (gloo/types.h).
enum class Slots : std::uint8_t { point_to_point = 0x40, all_to_all_v, reduce_scatter };

inline std::uint64_t slot_of(Slots use) {
  return ::gloo::Slot::build(static_cast<std::uint8_t>(use), 0);
}

// Gloo's buffers serve both directions, so their memory is never const.
inline std::unique_ptr<::gloo::transport::UnboundBuffer> buffer_over(::gloo::Context& context,
                                                                     ConstView view) {
  return context.createUnboundBuffer(const_cast<std::byte*>(view.data()), view.size());
}

// What a rank sends to itself.
inline void copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (to != from && bytes > 0) std::memcpy(to, from, bytes);
}

}  // namespace linerate::gloo
