// Calls of NCCL between a start and an end, which run at once.
#pragma once

#include "backends/nccl/endpoint.h"
#include "comm/backend.h"

#include <string_view>

namespace linerate::nccl {

// Of the thread that uses it; groups nest. Throws NcclError.
class NcclGroup final : public Group {
 public:
  // Both outlive this. Errors name the rank of `endpoint`, or where it is null the thread's GPUs.
  explicit NcclGroup(const NcclApi& api, const Endpoint* endpoint = nullptr)
      : api_(api), endpoint_(endpoint) {}
  // NCCL wants an end for each start, whatever happened in between.
  ~NcclGroup() override;
  NcclGroup(const NcclGroup&) = delete;
  NcclGroup& operator=(const NcclGroup&) = delete;

  void start() override;
  void end() override;

 private:
  void check(ncclResult_t code, std::string_view call) const;

  const NcclApi& api_;
  const Endpoint* const endpoint_;
  int open_ = 0;
};

}  // namespace linerate::nccl
