// Dividing a buffer among ranks and into blocks that fit a cache.
#pragma once

#include "base/pages.h"
#include "comm/buffer.h"

#include <algorithm>
#include <cstddef>

namespace linerate::host {

// Part `part` of `nparts` of `count` elements: parts differ by one cache line at most, so that two
// ranks never write to one line of an aligned buffer.
constexpr Range slice_of(std::size_t count, std::size_t element_bytes, int part, int nparts) {
  const std::size_t unit = std::max(kLineBytes / element_bytes, std::size_t{1});
  const std::size_t units = (count + unit - 1) / unit;
  const auto n = static_cast<std::size_t>(nparts);
  const auto i = static_cast<std::size_t>(part);
  // units * i may be too large for the machine word: whole shares and the rest are split apart.
  const auto edge = [&](std::size_t k) {
    return std::min(count, (units / n * k + units % n * k / n) * unit);
  };
  return {edge(i), edge(i + 1) - edge(i)};
}

// Calls body(block) for consecutive blocks of at most `block_count` elements.
template <typename Body>
void for_each_block(const Range& slice, std::size_t block_count, Body&& body) {
  for (std::size_t done = 0; done < slice.count; done += block_count)
    body(Range{slice.offset + done, std::min(block_count, slice.count - done)});
}

}  // namespace linerate::host
