// How a pass goes over memory: in parts, so that a large piece need not be gone through whole.
#pragma once

#include "base/pages.h"

#include <algorithm>
#include <cstddef>

namespace linerate::probe {

// Passes take one part after the other, so that each comes back only after all others.
struct Parts {
  std::size_t bytes = 0;  // of each: whole lines
  std::size_t count = 0;
  std::size_t loops = 0;  // over one part in a pass, where parts are small
};

// Of `total_bytes`, at least a line, in passes of about `pass_bytes`.
constexpr Parts parts_of(std::size_t total_bytes, std::size_t pass_bytes) {
  const auto whole = std::max(round_down(total_bytes, kLineBytes), kLineBytes);
  const auto bytes = std::min(whole, pass_bytes);
  return {.bytes = bytes, .count = whole / bytes, .loops = pass_bytes / bytes};
}

}  // namespace linerate::probe
