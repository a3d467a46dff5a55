// When enough was measured: a pure rule over a summary and the time spent.
#pragma once

#include "stats/summary.h"

#include <optional>

namespace linerate::stats {

// What ends the repetition of one case. With neither limit the rule stops at once.
struct StopRule {
  std::optional<double> ci{};     // half width of the median's 95 % interval over the median
  std::optional<double> max_s{};  // seconds of one case

  bool asked() const { return ci || max_s; }
};

// Half width of the median's interval over the median; nothing where no 95 % interval exists
// (fewer than 6 samples) or the median is not positive.
std::optional<double> relative_half_width(const Summary& summary);

// Whether the interval is narrow enough, the time is up, or no limit asks for more. Asked after
// each window; the summary is of all samples of the case so far.
bool stop_now(const StopRule& rule, const Summary& summary, double elapsed_s);

}  // namespace linerate::stats
