// See regular_file.h.
#include "base/regular_file.h"

#include "base/units.h"

#include <fmt/format.h>

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace linerate {

Result<std::string> read_regular_file(const std::string& path, std::size_t most_bytes) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return Failure{fmt::format("{}.", std::strerror(errno))};
  if (S_ISDIR(status.st_mode)) return Failure{"it is a directory, not a file."};
  if (!S_ISREG(status.st_mode)) return Failure{"it is a pipe or device, not a file."};
  if (static_cast<std::size_t>(status.st_size) > most_bytes)
    return Failure{fmt::format("it has {}; at most {} are read.",
                               about_bytes_text(static_cast<std::size_t>(status.st_size)),
                               bytes_text(most_bytes))};
  std::ifstream file(path);
  if (!file) return Failure{"it cannot be read."};
  return std::string{std::istreambuf_iterator<char>(file), {}};
}

}  // namespace linerate
