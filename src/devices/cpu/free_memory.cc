// Reads /proc and the files of control groups.
#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "devices/cpu/cpu_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace linerate {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

// A file that holds one number; nothing when it is missing or says "max".
std::optional<std::size_t> number_in(const fs::path& file) {
  std::ifstream in(file);
  std::size_t value = 0;
  if (!(in >> value)) return std::nullopt;
  return value;
}

// The number behind `key` in a file of "key number" lines.
std::optional<std::size_t> number_of(const fs::path& file, std::string_view key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    const auto rest = trim(std::string_view(line).substr(key.size()));
    const auto value = parse_integer(key, rest.substr(0, rest.find(' ')));
    if (value && *value >= 0) return static_cast<std::size_t>(*value);
  }
  return std::nullopt;
}

// The names of one version's files.
struct Names {
  std::string_view limit, usage, droppable;
};
constexpr Names kV2{"memory.max", "memory.current", "inactive_file "};
constexpr Names kV1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "};

std::size_t left_in(const fs::path& group, const Names& names) {
  const auto limit = number_in(group / names.limit);
  const auto usage = number_in(group / names.usage);
  if (!limit || !usage) return kUnlimited;
  const auto droppable = number_of(group / "memory.stat", names.droppable).value_or(0);
  const std::size_t held = *usage - std::min(droppable, *usage);
  return *limit > held ? *limit - held : 0;
}

// The tightest of the group at `path` below `mount` and all groups above it. Inside a container the
// path may name a group that is not visible: then its visible ancestors count.
std::size_t left_in_all(const fs::path& mount, fs::path path, const Names& names) {
  std::size_t left = left_in(mount, names);
  for (path = path.relative_path(); !path.empty(); path = path.parent_path())
    left = std::min(left, left_in(mount / path, names));
  return left;
}

}  // namespace

std::size_t free_memory_bytes(const fs::path& root) {
  constexpr std::size_t kKiB = 1024;
  const auto available = number_of(root / "proc/meminfo", "MemAvailable:");
  std::size_t left = available ? *available * kKiB : kUnlimited;
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "0::/a/b" (v2), "4:memory:/a/b" (v1)
    const auto first = line.find(':');
    const auto second = line.find(':', first == std::string::npos ? first : first + 1);
    if (second == std::string::npos) continue;
    const auto controllers = split(line.substr(first + 1, second - first - 1), ',');
    const fs::path path = line.substr(second + 1);
    if (line.starts_with("0::"))
      left = std::min(left, left_in_all(root / "sys/fs/cgroup", path, kV2));
    else if (std::ranges::find(controllers, "memory") != controllers.end())
      left = std::min(left, left_in_all(root / "sys/fs/cgroup/memory", path, kV1));
  }
  return left;
}

void FreeMemoryCheck::check(std::size_t bytes, std::string_view what) {
  constexpr std::size_t kLookBytes = std::size_t{1} << 20;
  if (bytes < kLookBytes && unchecked_bytes_.fetch_add(bytes) + bytes < kLookBytes) return;
  unchecked_bytes_ = 0;
  if (const auto left = free_memory_bytes(root_); bytes > left)
    throw OutOfMemory(fmt::format("{} of {} are needed, but only {} are free.", bytes_text(bytes),
                                  what, bytes_text(left)));
}

}  // namespace linerate
