// The symbols by which NCCL finds the profiler plugin in this module.
#pragma once

#include "backends/nccl/profiler/abi.h"
#include "backends/nccl/profiler/call_recorder.h"

extern "C" {
extern const linerate::nccl::profiler::EntryPointsV2 ncclProfiler_v2;
extern const linerate::nccl::profiler::EntryPointsV3 ncclProfiler_v3;
extern const linerate::nccl::profiler::EntryPointsV4 ncclProfiler_v4;
extern const linerate::nccl::profiler::EntryPointsV5 ncclProfiler_v5;
}

namespace linerate::nccl::profiler {

// What NCCL says to any of the entry points arrives here: one of each process.
CallRecorder& call_recorder();

}  // namespace linerate::nccl::profiler
