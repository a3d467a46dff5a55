// What the parts of a NodeWatch share.
#pragma once

#include "record/health.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>

namespace linerate::health {

// A value that comes and goes.
class Gauge {
 public:
  Gauge(std::string subject, std::string what, std::optional<double> limit = {})
      : value_{.subject = std::move(subject), .what = std::move(what), .limit = limit} {}

  void add(double value) {
    min_ = std::min(min_, value);
    max_ = std::max(max_, value);
    sum_ += value;
    ++n_;
  }
  bool ever() const { return n_ > 0 && max_ > 0; }
  // REQUIRES: ever().
  HealthValue value() const {
    auto told = value_;
    told.min = min_;
    told.mean = sum_ / static_cast<double>(n_);
    told.max = max_;
    return told;
  }

 private:
  HealthValue value_;
  double min_ = std::numeric_limits<double>::infinity(), max_ = -min_, sum_ = 0;
  std::uint64_t n_ = 0;
};

// What only counts up.
struct Counter {
  std::string subject{}, what{};
  std::function<std::optional<std::uint64_t>()> read{};  // nothing: it is not told
  std::uint64_t before = 0;
};

}  // namespace linerate::health
