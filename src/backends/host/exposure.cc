// Which buffers of a rank its peers touch in a direct call; see collectives.h.
#include "backends/host/collectives.h"
#include "backends/host/point_to_point.h"

#include <algorithm>

namespace linerate::host::direct {
namespace {

std::size_t extent_elements(std::span<const Range> ranges) {
  std::size_t end = 0;
  for (const Range& range : ranges)
    if (range.count > 0) end = std::max(end, range.offset + range.count);
  return end;
}

}  // namespace

Exposure exposure_of(const Op& op, int rank, int nranks) {
  const std::size_t bytes = op.count * bytes_of(op.type);
  const std::size_t all_bytes = bytes * static_cast<std::size_t>(nranks);
  const bool root = rank == op.peer;
  switch (op.kind) {
    case OpKind::all_reduce:
      return {.send_bytes = bytes, .recv_bytes = bytes};
    case OpKind::all_gather:
      return {.send_bytes = bytes};
    case OpKind::reduce_scatter:
      return {.send_bytes = all_bytes};
    case OpKind::broadcast:
      return {.send_bytes = root ? bytes : 0, .recv_bytes = bytes};
    case OpKind::reduce:
      return {.send_bytes = bytes, .recv_bytes = root ? bytes : 0};
    case OpKind::all_to_all:
      return {.send_bytes = all_bytes, .recv_bytes = all_bytes};
    case OpKind::all_to_all_v:
      return {.send_bytes = extent_elements(op.send_ranges) * bytes_of(op.type)};
    case OpKind::gather:
      return {.recv_bytes = root ? all_bytes : 0};
    case OpKind::scatter:
      return {.send_bytes = root ? all_bytes : 0};
    case OpKind::send:
    case OpKind::send_recv:
      return {.send_bytes = PointToPoint::reads_sender(bytes) ? bytes : 0};
    case OpKind::recv:
      return {};
  }
  __builtin_unreachable();
}

}  // namespace linerate::host::direct
