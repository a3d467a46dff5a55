// Memory that this process may still take: the system's, or its control group's where that is less.
#pragma once

#include <cstddef>
#include <filesystem>

namespace linerate {

// Bytes: MemAvailable of /proc/meminfo, or what the tightest control group (v2 or v1) above this
// process leaves, not counting file pages that it can drop. `root` stands for "/" (tests).
std::size_t free_memory_bytes(const std::filesystem::path& root = "/");

}  // namespace linerate
