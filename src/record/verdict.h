// Whether a result is as fast as it should be, and what was found.
#pragma once

#include "record/record.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace linerate {

enum class Verdict : std::uint8_t {
  ok,
  unsure,  // below the band, by less than the slack: it may be low, or what disturbed it
  low,
  above,  // faster than can be: then what was expected, or the measurement, is wrong
};

std::string_view name_of(Verdict verdict);  // "ok", "unsure", "low", "above"

// The band below an upper bound: a healthy run reaches `low_share` of it, and none much more than
// all of it.
Expectation band_below(double bound_gbps, double low_share, std::string bound_by);

// busbw by the time of the slowest rank: a collective ends when its last rank does, whatever the
// average (-a) that the table shows.
double slowest_busbw_gbps(const Record& record);

// By how much more of the time the slowest rank's window took than undisturbed calls would have, at
// least: those of the median sample, or, where `counts_waits`, all without the time that ranks
// waited for their cores.
double disturbance(const Record& record, bool counts_waits);

// Measured / expected busbw, by the slowest rank. REQUIRES: record.expected.
double efficiency(const Record& record);

// The same of the best that a result may have been: times its slack. REQUIRES: record.expected.
double possible_efficiency(const Record& record);

// Null: no rule of this name found anything.
const Finding* find_finding(std::span<const Finding> findings, std::string_view rule);

// REQUIRES: record.expected.
Verdict verdict_of(const Record& record);

// "1048576 B, out of place: got 6.4 GB/s, expected 13 (0.49), low below 6.5, bound by memory".
// Without the words that parsers of the table look for, such as "out-of-place".
// REQUIRES: record.expected.
std::string reached_text(const Record& record);

// The same result in a run that was disturbed as a whole: its band is wider by this factor.
// REQUIRES: record.expected.
Record widened(Record record, double by);

}  // namespace linerate
