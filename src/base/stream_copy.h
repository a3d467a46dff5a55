// Copying past the caches: for data that will not be used again before it would be evicted.
#pragma once

#include <cstddef>

namespace linerate {

// memcpy with non-temporal stores, for any alignment. Other threads may see the bytes only after
// end_streaming() on this one.
void stream_copy(void* dst, const void* src, std::size_t bytes);

// Orders all earlier stream_copy() of this thread before its later stores.
void end_streaming();

}  // namespace linerate
