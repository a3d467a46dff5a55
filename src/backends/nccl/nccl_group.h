// Calls of NCCL between a start and an end, which run at once.
#pragma once

#include "backends/nccl/endpoint.h"
#include "comm/backend.h"

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate::nccl {

// Of the thread that uses it; groups nest. Throws NcclError, and PeerFailure after an abort.
class NcclGroup final : public Group {
 public:
  using Members = std::vector<std::weak_ptr<Endpoint>>;

  // Both outlive this. Errors name the rank of `endpoint`.
  NcclGroup(const NcclApi& api, const Endpoint& endpoint) : api_(api), endpoint_(&endpoint) {}
  // Of the ranks of a thread. NCCL does not tell whose call failed: errors name the one that asked
  // by itself tells of an error, or else all of them.
  NcclGroup(const NcclApi& api, Members members) : api_(api), members_(std::move(members)) {}
  // NCCL wants an end for each start, whatever happened in between.
  ~NcclGroup() override;
  NcclGroup(const NcclGroup&) = delete;
  NcclGroup& operator=(const NcclGroup&) = delete;

  void start() override;
  void end() override;

 private:
  void check(ncclResult_t code, std::string_view call) const;
  [[noreturn]] void throw_for_members(ncclResult_t code, std::string_view call) const;

  const NcclApi& api_;
  const Endpoint* const endpoint_ = nullptr;
  const Members members_{};
  int open_ = 0;
};

}  // namespace linerate::nccl
