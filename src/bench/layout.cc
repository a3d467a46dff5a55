// See layout.h.
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

ConstView Layout::send_view(const LocalRank& local, std::size_t slot) const {
  const auto bytes = shape.sendcount * element_bytes;
  if (placement == Placement::out_of_place) return local.send.view(offset(slot), bytes);
  return local.recv.view(offset(slot) + shape.in_place_send_offset * element_bytes, bytes);
}

View Layout::recv_view(const LocalRank& local, std::size_t slot) const {
  const auto shift =
      placement == Placement::in_place ? shape.in_place_recv_offset * element_bytes : 0;
  return local.recv.view(offset(slot) + shift, shape.recvcount * element_bytes);
}

View Layout::recv_slot(const LocalRank& local, std::size_t slot) const {
  return local.recv.view(offset(slot), slot_elements(shape, placement) * element_bytes);
}

std::size_t slots_of(std::size_t stride, std::size_t buffer_bytes, Sliding sliding) {
  if (sliding != Sliding::slide || stride == 0) return 1;
  return std::max<std::size_t>(1, buffer_bytes / stride);
}

Layout layout_of(const Sizing& sizing, const Case& what, Placement placement,
                 const RunConfig& config, std::size_t buffer_bytes) {
  Layout layout{.shape = what.collective->shape(sizing),
                .element_bytes = bytes_of(what.type),
                .lead = config.unalign * bytes_of(what.type),
                .placement = placement};
  layout.stride = row_bytes(*what.collective, sizing, what.type);
  layout.slots = slots_of(layout.stride, buffer_bytes, config.sliding);
  return layout;
}

std::size_t buffer_bytes(const std::vector<Case>& cases, int nranks, const TrafficMatrix* traffic) {
  std::size_t most = 0;
  for (const auto& what : cases) {
    const auto sizing = sizing_of(what, nranks, traffic);
    most = std::max({most, what.bytes, row_bytes(*what.collective, sizing, what.type)});
  }
  return most;
}

}  // namespace linerate
