// Whether a result is as fast as it should be.
#pragma once

#include "record/record.h"

#include <cstdint>
#include <span>
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
// A change of the machine's memory or network by more than this between the start and the end of a
// run: what lies between was measured on neither.
inline constexpr double kUnstable = 1.2;

// The part of the expected busbw that was reached. REQUIRES: record.expected.
double efficiency(const Record& record);

// The largest factor by which a bandwidth of the same size and ranks differs; 1 where none is in
// both.
double memory_change(std::span<const MemoryPoint> before, std::span<const MemoryPoint> after);

// Likewise of what all nodes together send or receive, or of one node where that is more than a
// factor of two: of many short probes some always differ.
double network_change(std::span<const NetworkPoint> before, std::span<const NetworkPoint> after);

// REQUIRES: record.expected.
Verdict verdict_of(const Record& record);

}  // namespace linerate
