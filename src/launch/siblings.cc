// The parent and the state stand in /proc/PID/stat, the rank in the environment that the launcher
// gave.
#include "launch/siblings.h"

#include <fmt/format.h>

#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>

namespace linerate {
namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool is_stopped_child_of(pid_t parent, const std::filesystem::path& process) {
  const auto text = read(process / "stat");
  const auto name_end = text.rfind(')');  // the name may hold blanks and brackets itself
  if (name_end == std::string::npos) return false;
  std::istringstream fields(text.substr(name_end + 1));
  char state = 0;
  pid_t its_parent = 0;
  fields >> state >> its_parent;
  return its_parent == parent && (state == 'T' || state == 't');
}

// As the launcher numbers it; empty where it does not say.
std::string rank_of(const std::filesystem::path& process) {
  constexpr std::array<std::string_view, 3> kRanks{
      "OMPI_COMM_WORLD_RANK=", "PMIX_RANK=", "PMI_RANK="};
  std::istringstream variables(read(process / "environ"));
  for (std::string line; std::getline(variables, line, '\0');)
    for (const auto name : kRanks)
      if (line.starts_with(name)) return line.substr(name.size());
  return {};
}

}  // namespace

std::string stopped_siblings() {
  std::string found;
  std::error_code ignored;  // processes come and go
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const auto pid = entry.path().filename().string();
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    if (!is_stopped_child_of(::getppid(), entry.path())) continue;
    const auto rank = rank_of(entry.path());
    if (!found.empty()) found += ", ";
    found +=
        rank.empty() ? fmt::format("process {}", pid) : fmt::format("rank {} (pid {})", rank, pid);
  }
  return found;
}

}  // namespace linerate
