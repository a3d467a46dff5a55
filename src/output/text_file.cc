// Every text goes out by write(2) or pwrite(2) itself: nothing stays in a buffer.
#include "output/text_file.h"

#include "base/error.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
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

// Yields 0 or errno.
int write_whole_at(int fd, std::uint64_t offset, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::pwrite(fd, text.data(), text.size(), static_cast<off_t>(offset));
    if (written < 0 && errno != EINTR) return errno;
    if (written <= 0) continue;
    text.remove_prefix(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return 0;
}

// Leaves errno alone.
bool is_pipe(const std::string& path) {
  const int error = errno;
  struct stat status {};
  const bool pipe = ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
  errno = error;
  return pipe;
}

// A pipe without a reader cannot be opened without blocking, in which a signal would go unseen.
FileDescriptor open_when_read(const std::string& path, const std::function<bool()>& interrupted) {
  constexpr auto kBetweenTries = std::chrono::milliseconds(20);
  for (;;) {
    auto fd = open_file(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK);
    if (fd || errno != ENXIO || !is_pipe(path)) return fd;
    if (interrupted && interrupted())
      throw Error(fmt::format("interrupted: nobody reads '{}'", path), ExitCode::interrupted);
    std::this_thread::sleep_for(kBetweenTries);
  }
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

Result<TextFile> TextFile::append(const std::string& path,
                                  const std::function<bool()>& interrupted) {
  auto fd = open_when_read(path, interrupted);
  if (!fd) return cannot_open(path, errno);
  (void)::fcntl(fd.get(), F_SETFL, O_APPEND);  // blocking again
  return TextFile(std::move(fd), path);
}

Result<TextFile> TextFile::create_new(const std::string& path) {
  std::string candidate = path;
  for (int number = 0;; ++number) {
    auto fd = open_file(candidate, O_WRONLY | O_CREAT | O_EXCL);
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

void TextFile::replace_end(std::string_view old_end, std::string_view text) {
  assert(text.size() >= old_end.size());
  if (broken_) return;
  const auto offset = replaced_bytes_ - old_end.size();
  const int code = write_whole_at(fd_.get(), offset, text);
  if (code == 0) {
    replaced_bytes_ = offset + text.size();
    return;
  }
  broken_ = true;
  (void)write_whole_at(fd_.get(), offset, old_end);
  (void)!::ftruncate(fd_.get(), static_cast<off_t>(replaced_bytes_));
  throw SystemError(code, fmt::format("write to {}", path_));
}

void TextFile::exclusively(const std::function<void()>& body) {
  const bool locked = ::flock(fd_.get(), LOCK_EX) == 0;
  body();
  if (locked) (void)::flock(fd_.get(), LOCK_UN);
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

void TextFile::drop_torn_line() {
  constexpr off_t kPiece = 4096;
  off_t size = regular_size(fd_.get());
  while (size > 0) {
    std::string piece(static_cast<std::size_t>(std::min(size, kPiece)), '\0');
    const auto begin = size - static_cast<off_t>(piece.size());
    if (read_at(piece, begin) != piece.size()) return;
    const auto end = piece.rfind('\n');
    size = begin + (end == std::string::npos ? 0 : static_cast<off_t>(end) + 1);
    if (end != std::string::npos) break;
  }
  (void)!::ftruncate(fd_.get(), size);
}

// Through a descriptor of its own, because the file is open for writing only. Yields the bytes
// read.
std::size_t TextFile::read_at(std::string& into, std::int64_t offset) const {
  const FileDescriptor reader(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const auto got = ::pread(reader.get(), into.data(), into.size(), offset);
  return got < 0 ? 0 : static_cast<std::size_t>(got);
}

}  // namespace linerate
