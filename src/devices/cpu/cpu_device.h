// The host's memory as a device; its streams are in host_stream.h.
#pragma once

#include "base/clock.h"
#include "comm/device.h"

#include <memory>

namespace linerate {

// `index` is what the device line prints. `clock` outlives the device.
std::unique_ptr<Device> make_cpu_device(int index, const Clock& clock);

}  // namespace linerate
