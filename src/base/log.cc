#include "base/log.h"

#include <fmt/format.h>

#include <unistd.h>

#include <exception>

namespace linerate {

void say(std::string_view text) noexcept {
  try {
    const auto line = fmt::format("linerate: {}\n", text);
    (void)!::write(STDERR_FILENO, line.data(), line.size());
  } catch (const std::exception&) {
    (void)!::write(STDERR_FILENO, text.data(), text.size());
  }
}

}  // namespace linerate
