// See text_file.h.
#include "output/text_file.h"

#include "base/error.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace linerate {
namespace {

constexpr mode_t kMode = 0666;  // less the umask

// Yields 0 or errno. A descriptor that others made non-blocking is waited for.
int write_whole(int fd, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(fd, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd ready{.fd = fd, .events = POLLOUT, .revents = 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

FileDescriptor duplicate(int fd) { return FileDescriptor(::fcntl(fd, F_DUPFD_CLOEXEC, 3)); }

FileDescriptor open_file(const std::string& path, int flags) {
  return FileDescriptor(::open(path.c_str(), flags | O_CLOEXEC, kMode));
}

Failure cannot_open(const std::string& path, int code) {
  return Failure{fmt::format("Cannot write to '{}': {}.", path, std::strerror(code))};
}

// The size of a regular file; 0 for anything else.
off_t regular_size(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
  return status.st_size;
}

}  // namespace

TextFile::TextFile(FileDescriptor fd, std::string name)
    : fd_(std::move(fd)), path_(std::move(name)) {}

TextFile TextFile::standard_output() { return {duplicate(STDOUT_FILENO), "stdout"}; }

TextFile TextFile::standard_error() { return {duplicate(STDERR_FILENO), "stderr"}; }

Result<TextFile> TextFile::append(const std::string& path) {
  auto fd = open_file(path, O_WRONLY | O_CREAT | O_APPEND);
  if (!fd) return cannot_open(path, errno);
  return TextFile(std::move(fd), path);
}

Result<TextFile> TextFile::create_new(const std::string& path) {
  std::string candidate = path;
  for (int number = 0;; ++number) {
    auto fd = open_file(candidate, O_WRONLY | O_CREAT | O_EXCL | O_APPEND);
    if (fd) return TextFile(std::move(fd), candidate);
    if (errno != EEXIST) return cannot_open(candidate, errno);
    candidate = fmt::format("{}.{}", path, number);
  }
}

void TextFile::write(std::string_view text) {
  if (broken_) return;
  const int code = write_whole(fd_.get(), text);
  if (code == 0) return;
  broken_ = true;
  throw SystemError(code, fmt::format("write to {}", path_));
}

bool TextFile::terminal() const { return ::isatty(fd_.get()) == 1; }

std::string TextFile::beginning(std::size_t limit) const {
  std::string text(std::min(limit, static_cast<std::size_t>(regular_size(fd_.get()))), '\0');
  text.resize(read_at(text, 0));
  return text;
}

bool TextFile::ends_with_line() const {
  std::string last(1, '\n');
  const off_t size = regular_size(fd_.get());
  return size == 0 || read_at(last, size - 1) == 0 || last == "\n";
}

// Through a descriptor of its own, because the file is open for writing only. Yields the bytes
// read.
std::size_t TextFile::read_at(std::string& into, std::int64_t offset) const {
  const FileDescriptor reader(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const auto got = ::pread(reader.get(), into.data(), into.size(), offset);
  return got < 0 ? 0 : static_cast<std::size_t>(got);
}

}  // namespace linerate
