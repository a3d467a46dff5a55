// See whole_file.h.
#include "base/whole_file.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace linerate {

std::optional<std::string> write_whole_file(const std::filesystem::path& path,
                                            std::string_view text) {
  std::error_code failed;
  std::filesystem::create_directories(path.parent_path(), failed);
  const auto fresh = path.parent_path() / fmt::format("{}.{}", path.filename().string(), getpid());
  std::ofstream file(fresh, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  const bool written = !file.fail();
  if (written) std::filesystem::rename(fresh, path, failed);
  if (written && !failed) return std::nullopt;
  const std::string reason = failed ? failed.message() : std::strerror(errno);
  std::filesystem::remove(fresh, failed);
  return reason;
}

std::string file_name_of(std::string_view text) {
  std::string name;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!name.empty() && name.back() != '-')
      name += '-';
  }
  return name;
}

}  // namespace linerate
