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

// The same for a flag and the payload behind it, `bytes` together: of a short one the flag's line,
// of a long one all others, because the line that peers look at soon goes to them again (measured:
// the other way around either is slower by a tenth).
inline void prefetch_message(const std::byte* flag, std::size_t bytes) {
  if (bytes <= 2 * kLineBytes) return prefetch_for_writing(flag, 1);
  prefetch_for_writing(flag + kLineBytes, bytes - kLineBytes);
}

}  // namespace linerate::host
