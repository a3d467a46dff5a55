// See reduction.h.
#include "topo/model/reduction.h"

namespace linerate::topo {
namespace {

bool reduces(Function function) {
  return function == Function::all_reduce || function == Function::reduce_scatter ||
         function == Function::reduce;
}

// avg multiplies floats before and divides integers behind the sum; mulsum multiplies before.
bool scales(RedOp op) { return op == RedOp::avg || op == RedOp::mulsum; }

bool switches_reduce(const Reduced& what) {
  const bool compares = what.op == RedOp::min || what.op == RedOp::max;
  switch (what.type) {
    case DataType::int32:
    case DataType::uint32:
    case DataType::int64:
    case DataType::uint64:
    case DataType::float16:
    case DataType::bfloat16:
      return what.op == RedOp::sum || compares;
    case DataType::float32:
    case DataType::float64:
      return what.op == RedOp::sum;
    case DataType::int8:
    case DataType::uint8:
    case DataType::f8e4m3:
    case DataType::f8e5m2:
      return false;
  }
  __builtin_unreachable();
}

}  // namespace

bool can_reduce(const Scheme& scheme, const Reduced& what) {
  if (!reduces(scheme.function)) return true;
  if (scheme.algorithm == Algorithm::nvls || scheme.algorithm == Algorithm::nvls_tree)
    return switches_reduce(what);
  return scheme.algorithm != Algorithm::pat || !scales(what.op);
}

bool is_avoided(const JobShape& job, const Scheme& scheme, const Reduced& what) {
  constexpr NcclVersion kSince{2, 24, 0};
  constexpr int kMaxRanks = 8;
  const bool narrow = what.type == DataType::f8e4m3 || what.type == DataType::f8e5m2;
  return narrow && reduces(scheme.function) && scheme.algorithm == Algorithm::ring &&
         job.nranks > kMaxRanks && job.version >= kSince;
}

}  // namespace linerate::topo
