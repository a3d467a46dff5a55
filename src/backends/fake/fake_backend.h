// The fake backend: real bytes, a virtual clock, and faults on request.
#pragma once

#include "backends/fake/fake_options.h"
#include "comm/backend.h"

#include <memory>

namespace linerate {

// Ranks are threads of one process, each with a device and a clock of its own (DeviceKind::fake). A
// call moves its bytes at once and moves the clocks as time_model.h says: stamps depend on the
// options and on the order of each rank's own calls, never on wall time or scheduling. A barrier
// sets all clocks to the latest plus kBarrierUs. The backend outlives its devices and
// communicators.
std::unique_ptr<Backend> make_fake_backend(const FakeOptions& options);

}  // namespace linerate
