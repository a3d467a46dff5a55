// Time, passed in and never called statically: real, or moved by hand in tests and by the fake
// backend.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>

namespace linerate {

inline constexpr double kNsPerUs = 1e3;

// Nanoseconds since an arbitrary start that all processes of one host share. Any thread may read.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t now_ns() const = 0;
};

// CLOCK_MONOTONIC: one time line for all processes of a host.
class SteadyClock final : public Clock {
 public:
  std::int64_t now_ns() const override;
};

// Moved by hand.
class ManualClock final : public Clock {
 public:
  std::int64_t now_ns() const override { return now_ns_.load(std::memory_order_relaxed); }
  void set(std::int64_t now_ns) { now_ns_.store(now_ns, std::memory_order_relaxed); }
  void advance(std::int64_t by_ns) { now_ns_.fetch_add(by_ns, std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> now_ns_{0};
};

// The moment until which a call may wait. The default never passes. The clock outlives it.
class Deadline {
 public:
  Deadline() = default;
  static Deadline never() { return {}; }
  // `timeout_s` <= 0 means never.
  static Deadline after(const Clock& clock, double timeout_s);

  bool bounded() const { return clock_ != nullptr; }
  bool passed() const { return bounded() && clock_->now_ns() >= at_ns_; }
  // Milliseconds left for poll(2): -1 when unbounded, 0 when passed, rounded up.
  int poll_ms() const;

 private:
  const Clock* clock_ = nullptr;
  std::int64_t at_ns_ = std::numeric_limits<std::int64_t>::max();
};

// A time as it is, and as it would be if nothing were wrong: two clocks that move together.
// Kept by backends that know how fast they would be without what slows them down. What both clocks
// show is counted from the same moment; `healthy_ns` is meaningful only against another one.
struct ModeledTime {
  std::int64_t real_ns = 0;
  std::int64_t healthy_ns = 0;

  // What was lost since both showed the same.
  std::int64_t lost_ns() const { return real_ns - healthy_ns; }

  ModeledTime& operator+=(const ModeledTime& by) {
    real_ns += by.real_ns;
    healthy_ns += by.healthy_ns;
    return *this;
  }
  friend ModeledTime operator-(const ModeledTime& to, const ModeledTime& from) {
    return {to.real_ns - from.real_ns, to.healthy_ns - from.healthy_ns};
  }
  friend ModeledTime operator+(ModeledTime time, const ModeledTime& by) { return time += by; }
  bool operator==(const ModeledTime&) const = default;
};

// Each of the two clocks for itself.
inline ModeledTime later(const ModeledTime& a, const ModeledTime& b) {
  return {std::max(a.real_ns, b.real_ns), std::max(a.healthy_ns, b.healthy_ns)};
}

}  // namespace linerate
