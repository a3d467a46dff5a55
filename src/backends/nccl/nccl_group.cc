// See nccl_group.h.
#include "backends/nccl/nccl_group.h"

#include "backends/nccl/nccl_error.h"

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
  if (code != ncclSuccess) throw NcclError(api_, code, nullptr, "This thread's GPUs", call);
}

}  // namespace linerate::nccl
