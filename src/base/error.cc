#include "base/error.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace linerate {

SystemError::SystemError(int code, std::string_view call, std::source_location where)
    : Error(fmt::format("{}: {} (errno {})", call, std::strerror(code), code), ExitCode::failed,
            where),
      code_(code) {}

int check_system(int result, std::string_view call, std::source_location where) {
  if (result < 0) throw SystemError(errno, call, where);
  return result;
}

}  // namespace linerate
