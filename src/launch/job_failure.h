// A thrown failure as data: passed between threads and members, each of which throws its own copy.
#pragma once

#include "base/error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace linerate {

// What was thrown, its kind, sentence and exit code. Copied from thread to thread.
struct JobFailure {
  enum class Kind : std::uint8_t { peer, aborted, timeout, unavailable, other };
  Kind kind = Kind::other;
  std::string sentence{};
  std::vector<int> ranks{};  // Kind::peer, aborted: the lost ones, as far as they are known
  ExitCode exit_code = ExitCode::failed;

  static JobFailure lost(std::string sentence, std::vector<int> ranks);
  static JobFailure timed_out(std::string sentence);
  // Of the exception that is being handled.
  static JobFailure current();
  [[noreturn]] void raise() const;
};

}  // namespace linerate
