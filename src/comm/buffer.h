// Memory: views that do not own, and buffers that do.
#pragma once

#include <cassert>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>

namespace linerate {

using View = std::span<std::byte>;
using ConstView = std::span<const std::byte>;

// Elements [offset, offset + count) of a buffer.
struct Range {
  std::size_t offset = 0;
  std::size_t count = 0;
};

enum class MemoryKind { host, pinned, device, registered };

// Owned memory of a device or a backend; move-only; freed by `release` on destruction.
class Buffer {
 public:
  using Release = std::function<void(View)>;

  Buffer() = default;
  // Takes ownership of `memory`; `release` gets exactly this view back once and must not throw.
  Buffer(View memory, MemoryKind kind, Release release)
      : memory_(memory), kind_(kind), release_(std::move(release)) {}
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }
  ~Buffer() {
    if (release_) release_(memory_);
  }

  std::byte* data() const { return memory_.data(); }
  std::size_t bytes() const { return memory_.size(); }
  MemoryKind kind() const { return kind_; }

  View view() const { return memory_; }
  // REQUIRES: offset + bytes <= this->bytes().
  View view(std::size_t offset, std::size_t bytes) const {
    assert(offset + bytes <= memory_.size());
    return memory_.subspan(offset, bytes);
  }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(kind_, other.kind_);
    std::swap(release_, other.release_);
  }

  View memory_;
  MemoryKind kind_ = MemoryKind::host;
  Release release_;
};

// Makes a scratch buffer hold `bytes` at least, of `memory`, a device or what allocates like one;
// yields where it begins. The memory that is too small goes first: there need not be room for both.
template <typename Memory>
std::byte* grow(Buffer& scratch, std::size_t bytes, Memory& memory) {
  if (scratch.bytes() < bytes) {
    scratch = Buffer();
    scratch = memory.allocate(bytes, MemoryKind::host);
  }
  return scratch.data();
}

}  // namespace linerate
