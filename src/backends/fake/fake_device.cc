#include "backends/fake/fake_device.h"

#include "devices/cpu/cpu_device.h"

namespace linerate::fake {
namespace {

// Inline: the rank's own clock.
class RankClock final : public FakeTime {
 public:
  explicit RankClock(FakeDevice& device) : device_(device) {}
  ModeledTime now() const override { return device_.now(); }
  void set(const ModeledTime& now) override { device_.set_clock(now); }

 private:
  FakeDevice& device_;
};

// Async: a clock of its own, of the worker, which the rank's catches up with.
class StreamClock final : public FakeTime {
 public:
  explicit StreamClock(FakeDevice& device) : device_(device), now_(device.now()) {}
  ModeledTime now() const override { return now_; }
  void set(const ModeledTime& now) override { now_ = now; }
  ModeledTime enqueued() const override { return device_.now(); }
  void waited() override { device_.set_clock(later(device_.now(), now_)); }

 private:
  FakeDevice& device_;
  ModeledTime now_;
};

}  // namespace

FakeDevice::FakeDevice(int index) : memory_(make_cpu_device(index, clock_)) {}

std::unique_ptr<Stream> FakeDevice::open_stream(StreamKind kind) {
  if (kind == StreamKind::async)
    return make_host_stream(kind, std::make_unique<StreamClock>(*this));
  return make_host_stream(kind, std::make_unique<RankClock>(*this));
}

}  // namespace linerate::fake
