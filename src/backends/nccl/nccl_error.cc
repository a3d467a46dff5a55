// See nccl_error.h.
#include "backends/nccl/nccl_error.h"

#include <fmt/format.h>

namespace linerate::nccl {
namespace {

// NCCL's own last words, on one line; they are better than the code's.
std::string last_words(const NcclApi& api, ncclComm_t comm) {
  const char* const text = api.get_last_error(comm);
  std::string words = text == nullptr ? "" : text;
  while (!words.empty() && (words.back() == '\n' || words.back() == '.')) words.pop_back();
  for (char& c : words)
    if (c == '\n') c = ' ';
  return words;
}

std::string sentence(const NcclApi& api, ncclResult_t code, ncclComm_t comm, std::string_view who,
                     std::string_view call) {
  const auto words = last_words(api, comm);
  return fmt::format("{}: {} failed: {}{}{}. NCCL_DEBUG=WARN tells more.", who, call,
                     api.get_error_string(code), words.empty() ? "" : ": ", words);
}

}  // namespace

NcclError::NcclError(const NcclApi& api, ncclResult_t code, ncclComm_t comm, std::string_view who,
                     std::string_view call, std::source_location where)
    : Error(sentence(api, code, comm, who, call),
            code == ncclRemoteError ? ExitCode::lost : ExitCode::failed, where),
      code_(code) {}

}  // namespace linerate::nccl
