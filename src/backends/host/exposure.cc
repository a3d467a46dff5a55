// Which buffers of a rank its peers touch in a direct call; see collectives.h.
#include "backends/host/collectives.h"
#include "backends/host/point_to_point.h"

namespace linerate::host::direct {

Exposure exposure_of(const Op& op, int rank, int nranks) {
  const auto [send, recv] = extent_of(op, rank, nranks);
  switch (op.kind) {
    case OpKind::all_reduce:
    case OpKind::broadcast:
    case OpKind::reduce:
    case OpKind::all_to_all:
      return {.send_bytes = send, .recv_bytes = recv};
    case OpKind::all_gather:
    case OpKind::reduce_scatter:
    case OpKind::all_to_all_v:
    case OpKind::scatter:
      return {.send_bytes = send};
    case OpKind::gather:
      return {.recv_bytes = recv};
    case OpKind::send:
    case OpKind::send_recv:
      return {.send_bytes = PointToPoint::reads_sender(send) ? send : 0};
    case OpKind::recv:
      return {};
  }
  __builtin_unreachable();
}

}  // namespace linerate::host::direct
