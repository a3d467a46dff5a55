// The devices of a thread's ranks, or a sentence about all ranks that have none.
#pragma once

#include "comm/backend.h"

#include <memory>
#include <span>
#include <vector>

namespace linerate {

struct WantedDevice {
  int rank = 0;
  int index = 0;  // as Backend::open_device() counts
};

// Collective over all members. Where a device is not here all of them throw Unavailable: with what
// the backend says, and, unless it has no device at all, which rank wants which device.
std::vector<std::unique_ptr<Device>> open_devices(Backend& backend,
                                                  std::span<const WantedDevice> wanted,
                                                  Bootstrap& members, const Deadline& deadline);

}  // namespace linerate
