// Lets NCCL find the profiler plugin in this module.
#pragma once

#include <string>

namespace linerate::nccl::profiler {

// The variable that names the plugin to NCCL: a file, a part of its name, or none.
inline constexpr const char* kPluginVariable = "NCCL_PROFILER_PLUGIN";

// The file of this code, as NCCL is to open it.
std::string own_file();

// Sets kPluginVariable to `file`. To be called before NCCL makes its first communicator, while
// no other thread reads the environment (see sharing.h). Yields a note for the user, and sets
// nothing, where NCCL will not tell what ran: it is older than 2.24, the user has named another
// plugin, or NCCL would cut the file's name.
std::string offer(int nccl_version, const std::string& file = own_file());

}  // namespace linerate::nccl::profiler
