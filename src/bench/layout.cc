// A slot is an offset into the buffers; the spare one begins its own buffer, or follows the last.
#include "bench/layout.h"

#include <algorithm>

namespace linerate {
namespace {

std::size_t slot_elements(const Shape& shape, Placement placement) {
  if (placement == Placement::out_of_place) return std::max(shape.sendcount, shape.recvcount);
  return std::max(shape.sendcount + shape.in_place_send_offset,
                  shape.recvcount + shape.in_place_recv_offset);
}

}  // namespace

View Layout::received(const LocalRank& local, std::size_t slot, const Range& elements) const {
  const bool spare = slot == kSpareSlot;
  const bool elsewhere = spare && slots.spare == Spare::own_buffer;
  const Buffer& buffer = elsewhere ? local.spare : local.recv;
  const std::size_t index = elsewhere ? 0 : spare ? slots.sliding : slot;
  return buffer.view(lead + index * stride + elements.offset * element_bytes,
                     elements.count * element_bytes);
}

ConstView Layout::send_view(const LocalRank& local, std::size_t slot) const {
  if (placement == Placement::in_place)
    return received(local, slot, {shape.in_place_send_offset, shape.sendcount});
  const std::size_t index = slot == kSpareSlot ? 0 : slot;
  return local.send.view(lead + index * stride, shape.sendcount * element_bytes);
}

View Layout::recv_view(const LocalRank& local, std::size_t slot) const {
  const bool in_place = placement == Placement::in_place;
  return received(local, slot, {in_place ? shape.in_place_recv_offset : 0, shape.recvcount});
}

View Layout::recv_slot(const LocalRank& local, std::size_t slot) const {
  return received(local, slot, {0, slot_elements(shape, placement)});
}

Slots slots_of(std::size_t stride, const BufferSizes& sizes, Sliding sliding) {
  return buffer_slots(stride, {.bytes = sizes.bytes,
                               .spare_bytes = sizes.spare_bytes,
                               .slides = sliding == Sliding::slide});
}

Layout layout_of(const Sizing& sizing, const Case& what, Placement placement,
                 const BenchConfig& config, const BufferSizes& sizes) {
  Layout layout{.shape = what.collective->shape(sizing),
                .element_bytes = bytes_of(what.type),
                .lead = config.unalign * bytes_of(what.type),
                .placement = placement};
  layout.stride = row_bytes(*what.collective, sizing, what.type);
  layout.slots = slots_of(layout.stride, sizes, config.sliding);
  return layout;
}

std::size_t largest_case(const std::vector<Case>& cases, int nranks, const TrafficMatrix* traffic) {
  std::size_t most = 0;
  for (const auto& what : cases) {
    const auto sizing = sizing_of(what, nranks, traffic);
    most = std::max({most, what.bytes, row_bytes(*what.collective, sizing, what.type)});
  }
  return most;
}

BufferSizes buffer_sizes(std::size_t asked, std::size_t largest, std::size_t memory_bytes) {
  const auto bytes = std::max(asked, largest);
  const auto left = memory_bytes - std::min(memory_bytes, 2 * bytes);
  return {.bytes = bytes, .spare_bytes = std::min(largest, left)};
}

}  // namespace linerate
