// See fake_device.h.
#include "backends/fake/fake_device.h"

#include "devices/cpu/cpu_device.h"

namespace linerate::fake {

FakeDevice::FakeDevice(int index) : memory_(make_cpu_device(index, clock_)) {}

}  // namespace linerate::fake
