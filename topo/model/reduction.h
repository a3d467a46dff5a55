// What the type and the operator of a call let NCCL do.
#pragma once

#include "comm/data_type.h"
#include "comm/red_op.h"
#include "topo/model/bandwidth.h"

namespace linerate::topo {

// Of collectives that move without reducing, neither counts: NCCL moves bytes.
struct Reduced {
  DataType type = DataType::float32;
  RedOp op = RedOp::sum;
};

// Whether a way of doing a function can do that type and operator: NVSwitches add and compare some
// types only, and PAT does not scale (src/include/device.h, ncclNvlsSupported; src/enqueue.cc,
// updateCollCostTable).
bool can_reduce(const Scheme& scheme, const Reduced& what);

// Whether NCCL takes the way only where there is no other: since 2.24, rings that would add up
// 8-bit numbers over more than 8 ranks, which loses them (src/enqueue.cc).
bool is_avoided(const JobShape& job, const Scheme& scheme, const Reduced& what);

}  // namespace linerate::topo
