#include "topo/detect/tree_file.h"

#include "base/handle.h"
#include "base/text.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace linerate::topo {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxBytes = 64 * 1024;

// Not blocking: a saved tree may hold a pipe of that name.
FileDescriptor open_regular(const fs::path& file) {
  FileDescriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!opened || ::fstat(opened.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return opened;
}

}  // namespace

std::string text_in(const fs::path& file) {
  const auto opened = open_regular(file);
  if (!opened) return {};
  std::string text;
  std::array<char, 4096> piece{};
  while (text.size() < kMaxBytes) {
    const auto got = ::read(opened.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;  // a driver refuses what it cannot tell: as if it were empty
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  text.resize(std::min({text.size(), text.find('\0'), kMaxBytes}));
  return std::string(trim(text));
}

std::optional<std::int64_t> number_in(const fs::path& file) {
  const auto number = parse_integer("value", text_in(file));
  return number ? std::optional(*number) : std::nullopt;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  fs::directory_iterator entry(folder, failed);
  for (; !failed && entry != fs::directory_iterator(); entry.increment(failed))
    names.push_back(entry->path().filename().string());
  std::ranges::sort(names);
  return names;
}

fs::path real_path(const fs::path& root, const fs::path& path) {
  std::error_code failed;
  const auto whole = fs::canonical(path, failed);
  if (failed) return {};
  const auto base = fs::canonical(root, failed);
  if (failed) return {};
  const auto [inside, rest] = std::ranges::mismatch(base, whole);
  return inside == base.end() ? whole : fs::path();
}

}  // namespace linerate::topo
