// What NCCL's own watcher (RAS, from 2.24) tells of a job that hangs.
#pragma once

#include <string>

namespace linerate::nccl {

// The status that the tool ncclras prints, with a line before it; empty where the tool is not on
// the PATH, nothing answers it, or it takes more than two seconds. At most 16 KiB of it.
std::string ras_report();

}  // namespace linerate::nccl
