// The host's memory as the only one to copy within: memcpy_perf without a GPU.
#pragma once

#include "base/clock.h"
#include "comm/copy_bench.h"

#include <memory>

namespace linerate {

// Each stream is a thread that copies past the caches, so that a byte copied is one read and one
// written. `clock` outlives the bench. It has no GPUs: every end is kHostEnd.
std::unique_ptr<CopyBench> make_host_copy_bench(const Clock& clock);

}  // namespace linerate
