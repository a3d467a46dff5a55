#include "backends/nccl/endpoint.h"

#include <fmt/format.h>

#include <string>

namespace linerate::nccl {
namespace {

// NCCL's own last words, on one line; they are better than the code's.
std::string last_words(const NcclApi& api, ncclComm_t comm) {
  const char* const text = api.get_last_error(comm);
  std::string words = text == nullptr ? "" : text;
  while (words.ends_with('\n') || words.ends_with('.') || words.ends_with('!')) words.pop_back();
  for (char& c : words)
    if (c == '\n') c = ' ';
  return words;
}

std::string sentence(const NcclApi& api, ncclResult_t code, ncclComm_t comm, std::string_view who,
                     std::string_view call) {
  const auto words = last_words(api, comm);
  std::string_view meaning = api.get_error_string(code);
  meaning = meaning.substr(0, meaning.find(" (run with NCCL_DEBUG"));
  return fmt::format("{}: {} failed: {}{}{}. NCCL_DEBUG=WARN tells more.", who, call, meaning,
                     words.empty() ? "" : ": ", words);
}

}  // namespace

NcclError::NcclError(const NcclApi& api, ncclResult_t code, ncclComm_t comm, std::string_view who,
                     std::string_view call, std::source_location where)
    : Error(sentence(api, code, comm, who, call),
            code == ncclRemoteError ? ExitCode::lost : ExitCode::failed, where) {}

Endpoint::~Endpoint() {
  if (!aborted_) (void)api_.comm_destroy(comm_);
}

void Endpoint::fail(ncclResult_t code, std::string_view call, std::source_location where) const {
  if (aborted_) throw Aborted(fmt::format("{}: {} was ended by an abort.", who_, call));
  throw NcclError(api_, code, comm_, who_, call, where);
}

std::string Endpoint::last_words() const { return nccl::last_words(api_, comm_); }

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
  if (stopped_) throw Aborted(fmt::format("{} was aborted while it waited.", who_));
  if (const auto error = async_error()) throw NcclError(*error);
}

void Endpoint::abort() noexcept {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  if (!aborted_.exchange(true)) (void)api_.comm_abort(comm_);
}

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
      throw Aborted(fmt::format("{}: {} was ended by an abort.", endpoint->who(), call));
    if (const auto error = endpoint->async_error()) throw NcclError(*error);
    who += (who.empty() ? "" : ", ") + endpoint->who();
  }
  throw NcclError(api_, code, nullptr, who.empty() ? "This thread's GPUs" : who, call);
}

}  // namespace linerate::nccl
