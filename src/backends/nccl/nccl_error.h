// Failures of NCCL as errors of ours.
#pragma once

#include "backends/nccl/nccl_api.h"
#include "base/error.h"

#include <string>
#include <string_view>

namespace linerate::nccl {

// A call of NCCL failed. The exit code is `failed`, and `lost` where NCCL blames a peer.
class NcclError : public Error {
 public:
  // `who`: "Rank 3 (node17, GPU 3)". `comm` may be null.
  NcclError(const NcclApi& api, ncclResult_t code, ncclComm_t comm, std::string_view who,
            std::string_view call, std::source_location where = std::source_location::current());

  ncclResult_t code() const { return code_; }

 private:
  ncclResult_t code_;
};

}  // namespace linerate::nccl
