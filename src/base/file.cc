// Reads in pieces up to the limit; writes a new file beside the old one, which then takes its name.
#include "base/file.h"

#include "base/error.h"
#include "base/handle.h"
#include "base/units.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstring>
#include <random>
#include <system_error>

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

namespace fs = std::filesystem;

// 0, or the errno of what failed.
int write_all(const FileDescriptor& file, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(file.get(), text.data(), text.size());
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

// Some file systems tell only now that there is no room.
int write_and_close(FileDescriptor file, std::string_view text) {
  const int failed = write_all(file, text);
  const int unclosed = ::close(file.release()) == 0 ? 0 : errno;
  return failed != 0 ? failed : unclosed;
}

// Beside `path`, by a name that no other process writes to either, be it of another node with the
// same number. Not mkstemp(), whose files nobody else may read.
FileDescriptor open_fresh(const fs::path& path, fs::path& fresh) {
  std::random_device random;
  int fd = -1;
  do {
    fresh = path;
    fresh += fmt::format(".{:08x}", random());
    fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (fd < 0 && errno == EEXIST);
  return FileDescriptor(fd);
}

int replace(const fs::path& path, std::string_view text) {
  fs::path fresh;
  FileDescriptor file = open_fresh(path, fresh);
  if (!file) return errno;
  int failed = write_and_close(std::move(file), text);
  if (failed == 0 && ::rename(fresh.c_str(), path.c_str()) != 0) failed = errno;
  if (failed != 0) ::unlink(fresh.c_str());
  return failed;
}

int write_into(const fs::path& path, std::string_view text) {
  FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file ? write_and_close(std::move(file), text) : errno;
}

bool is_disk_failure(int error) { return error == ENOSPC || error == EDQUOT || error == EIO; }

std::string error_text(int failed) { return std::generic_category().message(failed); }

Result<std::string> read_opened(const std::string& path, std::size_t most_bytes) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return Failure{fmt::format("it cannot be read: {}.", std::strerror(errno))};
  return read_to_end(file, most_bytes);
}

}  // namespace

Result<std::string> read_file_or_pipe(const std::string& path, std::size_t most_bytes) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return Failure{fmt::format("{}.", std::strerror(errno))};
  if (S_ISFIFO(status.st_mode)) return read_opened(path, most_bytes);
  return read_regular_file(path, most_bytes);
}

Result<std::string> read_regular_file(const std::string& path, std::size_t most_bytes) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return Failure{fmt::format("{}.", std::strerror(errno))};
  if (S_ISDIR(status.st_mode)) return Failure{"it is a directory, not a file."};
  if (!S_ISREG(status.st_mode)) return Failure{"it is a pipe or device, not a file."};
  const auto bytes = static_cast<std::size_t>(status.st_size);
  if (bytes > most_bytes) return too_large(bytes, most_bytes);
  return read_opened(path, most_bytes);
}

std::optional<std::string> write_whole_file(const fs::path& path, std::string_view text) {
  std::error_code unknown, failed;
  const auto status = fs::status(path, unknown);
  if (fs::is_directory(status)) return error_text(EISDIR);
  const bool is_device = fs::exists(status) && !fs::is_regular_file(status);
  const auto target = fs::is_symlink(path, unknown) && fs::exists(status) && !is_device
                          ? fs::canonical(path, failed)
                          : path;
  if (!failed && target.has_parent_path()) fs::create_directories(target.parent_path(), failed);
  if (failed) return failed.message();
  const int error = is_device ? write_into(target, text) : replace(target, text);
  if (error == 0) return std::nullopt;
  if (is_disk_failure(error)) throw SystemError(error, fmt::format("write to {}", path.string()));
  return error_text(error);
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
