// Owners and modes from the root of the installation down to the file.
#include "base/installation.h"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <system_error>

namespace linerate {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kRoot = 0;

// Not through links; nothing where it does not exist.
std::optional<struct stat> status_of(const fs::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

// In a sticky folder, as /tmp is, nobody replaces what belongs to others.
bool anybody_writes(const struct stat& status) {
  return (status.st_mode & S_IWOTH) != 0 && (status.st_mode & S_ISVTX) == 0;
}

}  // namespace

std::optional<fs::path> installation_root(const fs::path& executable) {
  std::error_code unreadable;  // there may be no /proc
  const auto program =
      executable.empty() ? fs::read_symlink("/proc/self/exe", unreadable) : executable;
  if (program.parent_path().filename() != "bin") return std::nullopt;
  return program.parent_path().parent_path();
}

std::optional<std::string> distrust(const fs::path& root, const fs::path& inside) {
  const auto owners = status_of(root / "bin");
  fs::path path = root;
  auto next = inside.begin();
  for (;;) {
    const auto status = status_of(path);
    if (!status) return std::nullopt;  // whoever opens it says so
    const bool trusted = status->st_uid == kRoot || status->st_uid == ::geteuid() ||
                         (owners && status->st_uid == owners->st_uid);
    if (!trusted)
      return fmt::format("{} belongs to user {}, who does not own this program", path.string(),
                         status->st_uid);
    if (S_ISLNK(status->st_mode)) return std::nullopt;
    if (anybody_writes(*status)) return fmt::format("everybody may write to {}", path.string());
    if (next == inside.end()) return std::nullopt;
    path /= *next++;
  }
}

}  // namespace linerate
