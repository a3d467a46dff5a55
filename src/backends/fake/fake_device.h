// A rank's device of the fake backend: host memory with a virtual clock.
#pragma once

#include "base/clock.h"
#include "comm/device.h"
#include "devices/cpu/host_stream.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace linerate::fake {

// Its clock stands still but for calls on a fake communicator, which move it. Async streams have
// clocks of their own: a call starts where the stream's work before it ended, but not before the
// rank enqueued it, and the rank's clock moves on to it when it synchronizes. So what overlaps
// takes the time of the longer part, whatever this machine does meanwhile.
class FakeDevice final : public Device {
 public:
  explicit FakeDevice(int index);

  std::string name() const override { return "fake device"; }
  DeviceKind kind() const override { return DeviceKind::fake; }
  int index() const override { return memory_->index(); }
  std::string bus_id() const override { return memory_->bus_id(); }
  std::size_t free_bytes() const override { return memory_->free_bytes(); }
  const Clock& clock() const override { return clock_; }
  Buffer allocate(std::size_t bytes, MemoryKind kind) override {
    return memory_->allocate(bytes, kind);
  }
  std::unique_ptr<Stream> open_stream(StreamKind kind) override;
  void copy(View dest, ConstView source, Stream& stream) override {
    memory_->copy(dest, source, stream);
  }
  void zero(View view, Stream& stream) override { memory_->zero(view, stream); }
  void fill(View view, const Content& content) override { memory_->fill(view, content); }
  Comparison count_wrong(ConstView view, const Content& content) override {
    return memory_->count_wrong(view, content);
  }
  Multiplier& multiplier() override { return memory_->multiplier(); }

  // The number of the call that the rank now makes, from 1 on. Any thread.
  std::uint64_t next_call() { return ++ncalls_; }
  // The rank's own thread.
  const ModeledTime& now() const { return now_; }
  void set_clock(const ModeledTime& now) {
    now_ = now;
    clock_.set(now.real_ns);
  }

 private:
  ManualClock clock_;
  ModeledTime now_;  // what the clock shows, and what it would without faults
  std::unique_ptr<Device> memory_;
  std::atomic<std::uint64_t> ncalls_ = 0;
};

// What calls on a stream begin at and move.
class FakeTime : public StreamTime {
 public:
  virtual void set(const ModeledTime& now) = 0;
  void start_after(const ModeledTime& time) override { set(later(now(), time)); }
};

}  // namespace linerate::fake
