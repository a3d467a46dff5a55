// One communicator of NCCL with what its calls and its errors need, and groups of calls that run at
// once.
#pragma once

#include "backends/nccl/device_api/windows.h"
#include "backends/nccl/nccl_api.h"
#include "base/error.h"
#include "comm/backend.h"
#include "devices/cuda/cuda_stream.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate::nccl {

// A call of NCCL failed. The exit code is `failed`, and `lost` where NCCL blames a peer.
class NcclError : public Error {
 public:
  // `who`: "Rank 3 (node17, GPU 3)". `comm` may be null.
  NcclError(const NcclApi& api, ncclResult_t code, ncclComm_t comm, std::string_view who,
            std::string_view call, std::source_location where = std::source_location::current());
};

// Owns `comm`. Shared by the communicator and by the streams that wait for its calls.
class Endpoint final : public cuda::Attended {
 public:
  // `who` names the rank in errors: "Rank 3 (node17, GPU 3)". `api` outlives this.
  Endpoint(const NcclApi& api, ncclComm_t comm, std::string who)
      : api_(api), comm_(comm), who_(std::move(who)) {}
  ~Endpoint() override;
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  const NcclApi& api() const { return api_; }
  ncclComm_t comm() const { return comm_; }
  const std::string& who() const { return who_; }
  bool aborted() const { return aborted_; }
  Windows& windows() { return windows_; }  // those that are registered now

  // Throws NcclError unless `code` says that `call` went well.
  void check(ncclResult_t code, std::string_view call,
             std::source_location where = std::source_location::current()) const {
    if (code != ncclSuccess) [[unlikely]]
      fail(code, call, where);
  }

  // NCCL's text on its last error, without a full stop; empty if it has none.
  std::string last_words() const;

  // An error of NCCL's own threads since; nothing where all is well or the endpoint is aborted.
  std::optional<NcclError> async_error();
  // Throws what async_error() yields, and Aborted once the endpoint is stopped or aborted.
  void throw_if_failed() override;

  // Any thread: from now on throw_if_failed() throws, which each call asks before it begins.
  void stop_calls() noexcept { stopped_ = true; }
  bool stopped() const { return stopped_; }
  // Any thread, more than once: ends the calls under way. NCCL frees the communicator, so that a
  // thread within one of its calls at this moment may crash. stop_calls() some time before leaves
  // only those to it that hang within NCCL, which nothing else ends; the run is over then.
  void abort() noexcept;

 private:
  [[noreturn]] void fail(ncclResult_t code, std::string_view call,
                         std::source_location where) const;

  const NcclApi& api_;
  const ncclComm_t comm_;
  const std::string who_;
  Windows windows_;
  std::mutex mutex_;  // between abort() and questions to comm_
  std::atomic<bool> stopped_{false};
  std::atomic<bool> aborted_{false};
};

// Of the thread that uses it; groups nest. Throws NcclError, and Aborted after an abort.
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
