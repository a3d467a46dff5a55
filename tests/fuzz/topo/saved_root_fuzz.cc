// A saved /sys and /proc of any files and links: a system that can be shown, whatever they hold.
#include "fuzz/topo/shown.h"
#include "topo/detect/detect.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace {

namespace fs = std::filesystem;

// In memory where there is such a folder: every input writes its files.
fs::path root() {
  const bool has_memory = fs::exists("/dev/shm");
  const fs::path above = has_memory ? fs::path("/dev/shm") : fs::temp_directory_path();
  return fs::canonical(above) / fmt::format("linerate_fuzz_{}", ::getpid());
}

// Stays below the root, also where a link stands on the way.
bool is_allowed(const fs::path& base, const fs::path& path) {
  constexpr std::size_t kLongest = 200;
  if (path.empty() || path.is_absolute() || path.native().size() > kLongest) return false;
  if (path.native().find('\0') != std::string::npos) return false;
  const auto folder = (base / path).lexically_normal().parent_path();
  const auto [inside, rest] = std::ranges::mismatch(base, folder);
  std::error_code failed;
  return inside == base.end() && fs::weakly_canonical(folder, failed) == folder && !failed;
}

// "PATH=TEXT" makes a file, "PATH>TARGET" a link, which may lead anywhere.
void add_entry(const fs::path& base, std::string_view line) {
  const auto at = line.find_first_of("=>");
  if (at == std::string_view::npos) return;
  const fs::path path(line.substr(0, at));
  const auto whole = (base / path).lexically_normal();
  if (!is_allowed(base, path) || fs::is_symlink(whole)) return;
  std::error_code failed;
  fs::create_directories(whole.parent_path(), failed);
  const std::string rest(line.substr(at + 1));
  if (line[at] == '>')
    fs::create_symlink(rest, whole, failed);
  else
    std::ofstream(whole) << rest << '\n';
}

}  // namespace

// An entry on each line.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr int kMaxEntries = 100;
  const auto base = root();
  std::error_code failed;
  fs::create_directories(base, failed);
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  for (int n = 0; n < kMaxEntries && !rest.empty(); ++n) {
    const auto end = std::min(rest.find('\n'), rest.size());
    add_entry(base, rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  linerate::topo::show_everything(linerate::topo::detect({.root = base}));
  fs::remove_all(base, failed);
  return 0;
}
