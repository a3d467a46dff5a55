// Numbers and byte strings in one message: little-endian, every length checked when read.
#pragma once

#include "comm/bootstrap.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace linerate {

class Packer {
 public:
  Packer& number(std::int64_t value);
  Packer& bytes(std::span<const std::byte> value);
  Packer& text(std::string_view value) { return bytes(std::as_bytes(std::span(value))); }
  Bytes take() { return std::move(packed_); }

 private:
  Bytes packed_;
};

// Reads what a Packer wrote, in the same order. Throws PeerFailure when the message is shorter than
// what is asked for. The bytes outlive it.
class Unpacker {
 public:
  explicit Unpacker(std::span<const std::byte> packed) : rest_(packed) {}

  std::int64_t number();
  // A number that must lie in [low, high].
  int integer(int low, int high);
  Bytes bytes();
  std::string text();
  bool done() const { return rest_.empty(); }

 private:
  std::span<const std::byte> take(std::size_t count);

  std::span<const std::byte> rest_;
};

}  // namespace linerate
