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
  low,
  above,  // faster than the bound: then the bound or the measurement is wrong
};

std::string_view name_of(Verdict verdict);  // "ok", "low", "above the bound"

// Bounds are derived and probed, each within a few percent.
inline constexpr double kAboveBound = 1.05;
// busbw by the time of the slowest rank: a collective ends when its last rank does, whatever the
// average (-a) that the table shows.
double slowest_busbw_gbps(const Record& record);

// Measured / expected busbw, by the slowest rank. REQUIRES: record.expected.
double efficiency(const Record& record);

// Null: no rule of this name found anything.
const Finding* find_finding(std::span<const Finding> findings, std::string_view rule);

// REQUIRES: record.expected.
Verdict verdict_of(const Record& record);

// "1048576 B, out of place: 6.4 of 13 GB/s (0.49), bound by memory". Without the words that parsers
// of the table look for, such as "out-of-place". REQUIRES: record.expected.
std::string reached_text(const Record& record);

}  // namespace linerate
