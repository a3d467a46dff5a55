#include "base/core_wait.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>

namespace linerate {

CoreWait::CoreWait() : file_(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}

std::optional<std::int64_t> CoreWait::ns() const {
  std::array<char, 128> text{};
  if (!file_) return std::nullopt;
  const auto length = ::pread(file_.get(), text.data(), text.size(), 0);
  if (length <= 0) return std::nullopt;
  return run_delay_ns({text.data(), static_cast<std::size_t>(length)});
}

std::optional<std::int64_t> run_delay_ns(std::string_view schedstat) {
  const auto blank = schedstat.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  const auto rest = schedstat.substr(blank + 1);
  std::int64_t ns = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), ns);
  if (error != std::errc() || end == rest.data() || ns < 0) return std::nullopt;
  return ns;
}

}  // namespace linerate
