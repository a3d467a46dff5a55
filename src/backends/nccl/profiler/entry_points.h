// The profiler plugin in this module: the symbols by which NCCL finds it, and the variable that
// tells NCCL to look.
#pragma once

#include "backends/nccl/profiler/abi.h"
#include "backends/nccl/profiler/call_recorder.h"

extern "C" {
extern const linerate::nccl::profiler::EntryPointsV2 ncclProfiler_v2;
extern const linerate::nccl::profiler::EntryPointsV3 ncclProfiler_v3;
extern const linerate::nccl::profiler::EntryPointsV4 ncclProfiler_v4;
extern const linerate::nccl::profiler::EntryPointsV5 ncclProfiler_v5;
}
#include <string>

namespace linerate::nccl::profiler {

// What NCCL says to any of the entry points arrives here: one of each process.
CallRecorder& call_recorder();

// The variable that names the plugin to NCCL: a file, a part of its name, or none.
inline constexpr const char* kPluginVariable = "NCCL_PROFILER_PLUGIN";

// The file of this code, as NCCL is to open it.
std::string own_file();

// Sets kPluginVariable to `file`. To be called before NCCL makes its first communicator, while
// no other thread reads the environment (see allow_sharing()). Yields a note for the user, and sets
// nothing, where NCCL will not tell what ran: it is older than 2.24, the user has named another
// plugin, or NCCL would cut the file's name.
std::string offer(int nccl_version, const std::string& file = own_file());

}  // namespace linerate::nccl::profiler
