// The part of the fake NCCL that kernels reach: symmetric windows, and communicators on the device.
#pragma once

#include "backends/nccl/device_api/device_kernels.h"
#include "backends/nccl/nccl_api.h"

namespace linerate::nccl {

// From 2.27 on.
void set_fake_windows(NcclApi& api);
// From 2.28 on.
void set_fake_device_api(NcclApi& api);

}  // namespace linerate::nccl
