// Read from files that Linux and distributions keep.
#include "base/text.h"
#include "commands/describe.h"
#include "topo/detect/sysfs.h"

#include <set>
#include <string>

namespace linerate {
namespace {

using topo::text_in;

// PRETTY_NAME of os-release: `Debian GNU/Linux 12 (bookworm)`.
std::string system_name(const std::filesystem::path& root) {
  constexpr std::string_view kKey = "PRETTY_NAME=";
  for (const auto* file : {"etc/os-release", "usr/lib/os-release"})
    for (const auto& line : split(text_in(root / file), '\n'))
      if (line.starts_with(kKey)) {
        auto name = std::string(trim(std::string_view(line).substr(kKey.size())));
        std::erase(name, '"');
        return name;
      }
  return {};
}

// "performance"; of cores that differ "performance,powersave".
std::string governors(const std::filesystem::path& root) {
  const auto cpus = root / "sys/devices/system/cpu";
  std::set<std::string> found;
  for (const auto& name : topo::names_in(cpus))
    if (const auto governor = text_in(cpus / name / "cpufreq/scaling_governor"); !governor.empty())
      found.insert(governor);
  std::string text;
  for (const auto& governor : found) text += (text.empty() ? "" : ",") + governor;
  return text;
}

// "madvise" of "always [madvise] never".
std::string chosen(std::string_view choices) {
  const auto begin = choices.find('['), end = choices.find(']');
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return {};
  return std::string(choices.substr(begin + 1, end - begin - 1));
}

// Of the last minute: the first number of "0.75 1.15 0.97 2/123 4567".
std::optional<double> load(const std::filesystem::path& root) {
  const auto text = text_in(root / "proc/loadavg");
  const auto number = parse_number("load", std::string_view(text).substr(0, text.find(' ')));
  return number ? std::optional(*number) : std::nullopt;
}

}  // namespace

HostFacts host_facts(const std::filesystem::path& root) {
  return {.kernel = text_in(root / "proc/sys/kernel/osrelease"),
          .system = system_name(root),
          .governor = governors(root),
          .huge_pages = chosen(text_in(root / "sys/kernel/mm/transparent_hugepage/enabled")),
          .load = load(root)};
}

}  // namespace linerate
