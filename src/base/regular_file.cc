// See regular_file.h.
#include "base/regular_file.h"

#include "base/handle.h"
#include "base/units.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace linerate {
namespace {

Failure too_large(std::size_t bytes, std::size_t most_bytes) {
  return Failure{fmt::format("it has {}; at most {} are read.", about_bytes_text(bytes),
                             bytes_text(most_bytes))};
}

// Of files whose size the system does not tell beforehand too, as those of /proc.
Result<std::string> read_to_end(const FileDescriptor& file, std::size_t most_bytes) {
  constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
  std::string text;
  std::size_t size = 0;
  for (;;) {
    text.resize(size + kPieceBytes);
    const auto got = ::read(file.get(), text.data() + size, kPieceBytes);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Failure{fmt::format("it cannot be read: {}.", std::strerror(errno))};
    size += static_cast<std::size_t>(got);
    if (size > most_bytes) return too_large(size, most_bytes);
    if (got > 0) continue;
    text.resize(size);
    return text;
  }
}

}  // namespace

Result<std::string> read_regular_file(const std::string& path, std::size_t most_bytes) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return Failure{fmt::format("{}.", std::strerror(errno))};
  if (S_ISDIR(status.st_mode)) return Failure{"it is a directory, not a file."};
  if (!S_ISREG(status.st_mode)) return Failure{"it is a pipe or device, not a file."};
  const auto bytes = static_cast<std::size_t>(status.st_size);
  if (bytes > most_bytes) return too_large(bytes, most_bytes);
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return Failure{fmt::format("it cannot be read: {}.", std::strerror(errno))};
  return read_to_end(file, most_bytes);
}

}  // namespace linerate
