// NCCL for tests without GPUs: moves real data between the buffers of ranks in one process.
#pragma once

#include "backends/nccl/device_api/device_kernels.h"
#include "backends/nccl/nccl_api.h"

namespace linerate::nccl {

// As a library of `version` is: without the calls that came later. A call blocks until its peers
// have made theirs, or until its communicator is aborted. Tells the plugin of NCCL_PROFILER_PLUGIN
// what it pretends to run (fake_profiler.h).
NcclApi fake_nccl(int version);

// The kernels' results on the fake's communicators, which they wait for as the kernels do.
const DeviceKernels& device_kernels_on_host();

}  // namespace linerate::nccl
