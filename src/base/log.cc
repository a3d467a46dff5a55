#include "base/log.h"

#include <fmt/format.h>

#include <unistd.h>

#include <exception>

namespace linerate {
namespace {

// On a terminal a line of progress may stand where the text goes.
std::string_view cleared() { return ::isatty(STDERR_FILENO) == 1 ? "\r\x1b[K" : ""; }

}  // namespace

void say(std::string_view text) noexcept {
  try {
    const auto line = fmt::format("{}linerate: {}\n", cleared(), text);
    (void)!::write(STDERR_FILENO, line.data(), line.size());
  } catch (const std::exception&) {
    (void)!::write(STDERR_FILENO, text.data(), text.size());
  }
}

}  // namespace linerate
