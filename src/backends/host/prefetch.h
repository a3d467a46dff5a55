// Lines that another core has read, made this core's own before they are written.
#pragma once

#include "base/pages.h"

#include <cstddef>
#include <cstdint>

namespace linerate::host {

// A hint for every line that [memory, memory + bytes) touches: returns at once, and changes nothing
// but the time that later stores take.
inline void prefetch_for_writing(const std::byte* memory, std::size_t bytes) {
  const std::byte* const end = memory + bytes;
  for (memory -= reinterpret_cast<std::uintptr_t>(memory) % kLineBytes; memory < end;
       memory += kLineBytes) {
#if defined(__x86_64__)
    // What __builtin_prefetch(p, 1) becomes only where the compiler is told of this instruction.
    asm volatile("prefetchw %0" : : "m"(*memory));
#else
    __builtin_prefetch(memory, 1);
#endif
  }
}

// The same for a message of `bytes` that begins with its flag: the lines behind the flag's, which
// goes to the peers that look at it again whatever is done here (measured: no difference), and of a
// short one nothing, because there is nothing to save.
inline void prefetch_message(const std::byte* flag, std::size_t bytes) {
  if (bytes > 2 * kLineBytes) prefetch_for_writing(flag + kLineBytes, bytes - kLineBytes);
}

}  // namespace linerate::host
