// Copies that do not first read the lines that they overwrite.
#pragma once

#include <cstddef>

namespace linerate {

// memcpy with non-temporal stores, past the caches: for data that will not be used again before it
// would be evicted. Any alignment. Other threads may see the bytes only after end_streaming() on
// this one.
void stream_copy(void* dst, const void* src, std::size_t bytes);

// Orders all earlier stream_copy() of this thread before its later stores.
void end_streaming();

// memcpy with the CPU's string instruction, where there is one: many CPUs then do not read the
// lines that it overwrites whole, and keep them in their caches. Any alignment.
void string_copy(void* dst, const void* src, std::size_t bytes);

// Whether the CPU says that this instruction is fast (x86-64 with ERMS).
bool has_fast_strings();

}  // namespace linerate
