// See pages.h.
#include "base/pages.h"

#include <unistd.h>

namespace linerate {

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

void touch(std::span<std::byte> memory) {
  const std::size_t step = page_bytes();
  for (std::size_t at = 0; at < memory.size(); at += step) {
    volatile std::byte& page = memory[at];
    page = std::byte{0};
  }
}

}  // namespace linerate
