// Pages and lines of memory: their sizes, rounding to them, and the first write that places them.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <span>

namespace linerate {

inline constexpr std::size_t kLineBytes = 64;  // of a cache
inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;
inline std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

constexpr std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}
constexpr std::size_t round_down(std::size_t value, std::size_t unit) {
  return value / unit * unit;
}

// Writes a zero each page_bytes() from the first byte on: the first write to a page makes it
// present, on the memory node of the calling thread.
inline void touch(std::span<std::byte> memory) {
  const std::size_t step = page_bytes();
  for (std::size_t at = 0; at < memory.size(); at += step) {
    volatile std::byte& page = memory[at];
    page = std::byte{0};
  }
}

}  // namespace linerate
