// What memory is asked to do when its limit is measured: STREAM's kernels, and two without caches.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace linerate::probe {

// Arrays of equal length, aligned to a cache line, whose lengths are multiples of 32 bytes. Most
// kernels leave some of them alone.
struct Arrays {
  std::span<std::byte> a, b, c, d{};
};

// One pass over a thread's slice. Bytes are counted as STREAM does (J. McCalpin): what the kernel
// names, not the lines that a cache fetches before they are overwritten.
struct Kernel {
  std::string_view name;
  std::size_t moved;  // bytes moved for each byte of an array
  void (*run)(const Arrays& slice);
};

// read, read_both (a and b, as two ranks' inputs are), write, nt_write, copy, nt_copy, update (read
// and overwritten in place), triad; and as two ranks reduce: combine, nt_combine (b and c into both
// a and d) and merge (a and b, into both). nt: stores that go past the caches, where the processor
// has them; else as without. But for the triad, what held normal numbers of any type holds such
// numbers afterwards.
std::span<const Kernel> all_kernels();

// Null when there is none of this name.
const Kernel* find_kernel(std::string_view name);

}  // namespace linerate::probe
