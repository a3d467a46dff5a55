// NCCL's operator for a reduction: one of its own, or one that is made for the call.
#pragma once

#include "backends/nccl/endpoint.h"
#include "comm/op.h"

#include <array>
#include <cstddef>

namespace linerate::nccl {

// Made and destroyed around the call, as nccl-tests does; the call has taken what it needs when it
// returns. `endpoint` outlives this.
class RedOpHandle {
 public:
  RedOpHandle(const Op& op, const Endpoint& endpoint);
  ~RedOpHandle();
  RedOpHandle(const RedOpHandle&) = delete;
  RedOpHandle& operator=(const RedOpHandle&) = delete;

  ncclRedOp_t get() const { return op_; }

 private:
  const Endpoint& endpoint_;
  ncclRedOp_t op_ = ncclSum;
  bool own_ = false;
};

// `value` as an element of `type`.
std::array<std::byte, 8> encoded(double value, DataType type);

}  // namespace linerate::nccl
