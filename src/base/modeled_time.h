// A time as it is, and as it would be if nothing were wrong: two clocks that move together.
#pragma once

#include <algorithm>
#include <cstdint>

namespace linerate {

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
