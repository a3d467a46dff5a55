// The virtual time of a fake device's streams.
#pragma once

#include "backends/fake/fake_device.h"
#include "devices/cpu/host_stream.h"

namespace linerate::fake {

// What calls on a stream begin at and move.
class FakeTime : public StreamTime {
 public:
  virtual void set(const ModeledTime& now) = 0;
  void start_after(const ModeledTime& time) override { set(later(now(), time)); }
};

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

}  // namespace linerate::fake
