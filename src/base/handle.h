// Owners of C handles: wrapped on the line where they are created.
#pragma once

#include <unistd.h>

#include <memory>
#include <utility>

namespace linerate {

template <auto Destroy>
struct CallOnDelete {
  template <typename P>
  void operator()(P* pointer) const noexcept {
    (void)Destroy(pointer);
  }
};

template <typename T, auto Destroy>
using Handle = std::unique_ptr<T, CallOnDelete<Destroy>>;

// A file descriptor that is closed with its owner; -1 is none.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      close();
      fd_ = other.release();
    }
    return *this;
  }
  ~FileDescriptor() { close(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void close() noexcept {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

}  // namespace linerate
