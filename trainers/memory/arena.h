// All memory of a trainer's rank, counted by what it is for.
#pragma once

#include "comm/communicator.h"
#include "comm/math.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>

namespace linerate::trainers {

enum class Category : std::uint8_t {
  parameter,
  gradient,
  optimizer,   // master parameters and moments
  activation,  // what forward saves for backward, and scratch of both
  comm,        // what is sent and received, besides gradients and parameters in place
  live,        // parameters that were gathered for use and are freed after it
  checkpoint,  // copies that are written to disk meanwhile
  offloaded,   // of the optimizer, in a file
};
inline constexpr std::size_t kCategories = 8;
std::string_view name_of(Category category);

inline View view_of(Array array, std::size_t count) {
  return {array.data, count * bytes_of(array.type)};
}

// Memory of an Arena; returns it and its count on destruction. The arena outlives it.
class Block {
 public:
  Block() = default;
  Block(Block&& other) noexcept;
  Block& operator=(Block&& other) noexcept;
  ~Block() { give_back(); }

  Array array(DataType type) const { return {buffer_.data(), type}; }
  std::byte* data() const { return buffer_.data(); }
  View view() const { return buffer_.view(); }
  std::size_t bytes() const { return buffer_.bytes(); }
  explicit operator bool() const { return buffer_.data() != nullptr; }

 private:
  friend class Arena;
  void give_back();

  Buffer buffer_;
  class Arena* arena_ = nullptr;
  Category category_ = Category::activation;
  bool adopted_ = false;
};

struct ArenaBytes {
  std::size_t now = 0, peak = 0;
};

// Used by one thread. Memory that comes back is kept for the next allocation of its size, and does
// not count meanwhile.
class Arena {
 public:
  // Memory of the device, or what the communicator moves fastest; either outlives it.
  explicit Arena(Device& device)
      : device_(device),
        more_([&](std::size_t bytes) { return device.allocate(bytes, MemoryKind::device); }) {}
  explicit Arena(Communicator& comm)
      : device_(comm.device()),
        more_([&](std::size_t bytes) { return comm.allocate(bytes, MemoryKind::device); }) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Bytes as asked, unrounded; not zeroed. Throws Error where there is none left.
  Block allocate(Category category, std::size_t bytes);
  Block allocate(Category category, DataType type, std::size_t count) {
    return allocate(category, count * bytes_of(type));
  }
  // Memory of elsewhere, which is counted for its category, and goes back there.
  Block adopt(Category category, Buffer buffer);
  ArenaBytes bytes(Category category) const;
  ArenaBytes total() const { return total_; }  // but what was adopted
  // That it has from the device: what is in use, and what waits for its next use.
  std::size_t reserved() const { return reserved_; }
  // Whose memory it is: it copies and zeroes.
  Device& device() const { return device_; }

 private:
  friend class Block;
  void give_back(Block& block);

  Device& device_;
  const std::function<Buffer(std::size_t bytes)> more_;
  std::multimap<std::size_t, Buffer> free_;  // by bytes
  std::array<ArenaBytes, kCategories> of_{};
  ArenaBytes total_;
  std::size_t reserved_ = 0;
};

}  // namespace linerate::trainers
