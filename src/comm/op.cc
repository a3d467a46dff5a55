// See op.h.
#include "comm/op.h"

namespace linerate {

std::string_view name_of(OpKind kind) {
  switch (kind) {
    case OpKind::all_reduce:
      return "all_reduce";
    case OpKind::all_gather:
      return "all_gather";
    case OpKind::reduce_scatter:
      return "reduce_scatter";
    case OpKind::broadcast:
      return "broadcast";
    case OpKind::reduce:
      return "reduce";
    case OpKind::all_to_all:
      return "all_to_all";
    case OpKind::all_to_all_v:
      return "all_to_all_v";
    case OpKind::gather:
      return "gather";
    case OpKind::scatter:
      return "scatter";
    case OpKind::send:
      return "send";
    case OpKind::recv:
      return "recv";
    case OpKind::send_recv:
      return "send_recv";
  }
  __builtin_unreachable();
}

}  // namespace linerate
