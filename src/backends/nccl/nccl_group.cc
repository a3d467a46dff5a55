// See nccl_group.h.
#include "backends/nccl/nccl_group.h"

#include "backends/nccl/nccl_error.h"

#include <fmt/format.h>

#include <string>

namespace linerate::nccl {

NcclGroup::~NcclGroup() {
  for (; open_ > 0; --open_) (void)api_.group_end();
}

void NcclGroup::start() {
  check(api_.group_start(), "ncclGroupStart");
  ++open_;
}

void NcclGroup::end() {
  --open_;
  check(api_.group_end(), "ncclGroupEnd");
}

void NcclGroup::check(ncclResult_t code, std::string_view call) const {
  if (endpoint_ != nullptr) return endpoint_->check(code, call);
  if (code != ncclSuccess) throw_for_members(code, call);
}

// What was aborted is the echo of a failure elsewhere.
void NcclGroup::throw_for_members(ncclResult_t code, std::string_view call) const {
  std::string who;
  for (const auto& member : members_) {
    const auto endpoint = member.lock();
    if (!endpoint) continue;
    if (endpoint->aborted())
      throw PeerFailure(fmt::format("{}: {} was ended by an abort.", endpoint->who(), call));
    if (const auto error = endpoint->async_error()) throw NcclError(*error);
    who += (who.empty() ? "" : ", ") + endpoint->who();
  }
  throw NcclError(api_, code, nullptr, who.empty() ? "This thread's GPUs" : who, call);
}

}  // namespace linerate::nccl
