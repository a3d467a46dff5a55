// What a communicator of NCCL is created with.
#pragma once

#include "backends/nccl/nccl_api.h"
#include "comm/gpu_options.h"

#include <string>
#include <string_view>

namespace linerate::nccl {

// The library's defaults, but for what `options` ask. Throws Unavailable where the library is too
// old for one of them: it would ignore the field. Throws Error (exit 2) where NCCL_COMM_BLOCKING=0
// makes NCCL ignore the defaults: calls would return before they are enqueued.
ncclConfig_t comm_config(const NcclApi& api, const GpuOptions& options);

// Why the library has no `what`, in a sentence; empty where it is `wanted` or newer.
std::string version_refusal(const NcclApi& api, int wanted, std::string_view what);

// Throws Unavailable, in one sentence that names `option`, unless the library is `wanted` or newer.
void require_version(const NcclApi& api, int wanted, std::string_view option);

// Whether the environment sets variable `name` to 0, as NCCL reads its numbers.
bool is_off(const char* name);

}  // namespace linerate::nccl
