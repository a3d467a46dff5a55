#include "backends/fake/fake_device.h"

#include "backends/fake/fake_stream.h"
#include "devices/cpu/cpu_device.h"

namespace linerate::fake {

FakeDevice::FakeDevice(int index) : memory_(make_cpu_device(index, clock_)) {}

std::unique_ptr<Stream> FakeDevice::open_stream(StreamKind kind) {
  if (kind == StreamKind::async)
    return make_host_stream(kind, std::make_unique<StreamClock>(*this));
  return make_host_stream(kind, std::make_unique<RankClock>(*this));
}

}  // namespace linerate::fake
