// See endpoint.h.
#include "backends/nccl/endpoint.h"

#include "backends/nccl/nccl_error.h"

#include <fmt/format.h>

namespace linerate::nccl {

Endpoint::~Endpoint() {
  if (!aborted_) (void)api_.comm_destroy(comm_);
}

void Endpoint::check(ncclResult_t code, std::string_view call, std::source_location where) const {
  if (code == ncclSuccess) return;
  if (aborted_) throw PeerFailure(fmt::format("{}: {} was ended by an abort.", who_, call));
  throw NcclError(api_, code, comm_, who_, call, where);
}

std::optional<NcclError> Endpoint::async_error() {
  const std::lock_guard lock(mutex_);
  if (aborted_) return std::nullopt;
  ncclResult_t state = ncclSuccess;
  const ncclResult_t asked = api_.comm_get_async_error(comm_, &state);
  if (asked != ncclSuccess) state = asked;
  if (state == ncclSuccess || state == ncclInProgress) return std::nullopt;
  return NcclError(api_, state, comm_, who_, "a call under way");
}

void Endpoint::throw_if_failed() {
  if (stopped_) throw PeerFailure(fmt::format("{} was aborted while it waited.", who_));
  if (const auto error = async_error()) throw NcclError(*error);
}

void Endpoint::abort() noexcept {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  if (!aborted_.exchange(true)) (void)api_.comm_abort(comm_);
}

}  // namespace linerate::nccl
