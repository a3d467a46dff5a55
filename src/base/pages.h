// Pages and lines of memory: their sizes, rounding to them, and the first write that places them.
#pragma once

#include <cstddef>
#include <span>

namespace linerate {

inline constexpr std::size_t kLineBytes = 64;  // of a cache
inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;
std::size_t page_bytes();

constexpr std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}
constexpr std::size_t round_down(std::size_t value, std::size_t unit) {
  return value / unit * unit;
}

// Writes a zero each page_bytes() from the first byte on: the first write to a page makes it
// present, on the memory node of the calling thread.
void touch(std::span<std::byte> memory);

}  // namespace linerate
