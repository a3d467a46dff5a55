// Each read of /dev/kmsg yields a message; EPIPE says that some were lost before the next one.
#include "diagnose/health/kernel_log.h"

#include "base/text.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace linerate::health {

std::string KernelLog::open(const std::filesystem::path& file) {
  file_ = FileDescriptor(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (file_ && ::lseek(file_.get(), 0, SEEK_END) >= 0) return {};
  const auto why = fmt::format("{}: {}", file.string(), std::strerror(errno));
  file_.close();
  return why;
}

void KernelLog::finish(NodeHealth& health) {
  constexpr int kMostMessages = 100'000;
  std::array<char, 8192> text{};  // no message is longer
  bool lost = false;
  for (int message = 0; file_ && message < kMostMessages; ++message) {
    const auto bytes = ::read(file_.get(), text.data(), text.size());
    if (bytes == 0 || (bytes < 0 && errno != EPIPE)) break;
    lost = lost || bytes < 0;
    if (bytes > 0) add_xids({text.data(), static_cast<std::size_t>(bytes)}, health);
  }
  if (lost) health.unread.emplace_back("some Xids, perhaps: the kernel's log ran over");
}

void add_xid(const std::string& subject, std::uint64_t xid, NodeHealth& health) {
  const auto what = fmt::format("xid_{}", xid);
  const auto known = std::ranges::find_if(health.values, [&](const HealthValue& value) {
    return value.subject == subject && value.what == what;
  });
  if (known != health.values.end())
    ++*known->after;
  else
    health.values.push_back({.subject = subject, .what = what, .before = 0, .after = 1});
}

void add_xids(std::string_view text, NodeHealth& health) {
  constexpr std::string_view kXidOf = "NVRM: Xid (PCI:";
  for (;;) {
    const auto at = text.find(kXidOf);
    if (at == std::string_view::npos) return;
    text.remove_prefix(at + kXidOf.size());
    const auto end = text.find("): ");
    if (end == std::string_view::npos) return;
    const auto digits = text.substr(end + 3);
    const auto number =
        parse_integer("Xid", digits.substr(0, digits.find_first_not_of("0123456789")));
    if (number)
      add_xid(fmt::format("GPU {}", text.substr(0, end)), static_cast<std::uint64_t>(*number),
              health);
  }
}

}  // namespace linerate::health
