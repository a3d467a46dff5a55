// Writes stretches of generated elements: the generator as vectorised loops for the CPU.
#pragma once

#include "comm/content.h"
#include "pattern/generate.h"

#include <cstddef>
#include <cstdint>

namespace linerate::pattern {

// Threads [first, first + count) of one block.
struct Stretch {
  BlockKey key;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};
constexpr std::uint32_t kMaxStretch = 1024;

// Writes the elements of one Content, stretch by stretch.
class Writer {
 public:
  explicit Writer(const Content& content);

  // Writes elements [index, index + n) of the content to `out`, which has room for kMaxStretch
  // 8-byte elements; yields n, which is at least 1 and at most `count`.
  std::size_t write(std::size_t index, std::size_t count, void* out) const;

 private:
  using Loop = void (*)(const Plan&, const Stretch&, void* out);

  Content content_;
  Plan plan_;
  Loop loop_ = nullptr;
};

}  // namespace linerate::pattern
