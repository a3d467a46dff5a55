// Arrival patterns (--skew): how late each rank enters each sample, as ranks of a training do.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

// What was asked for: one of both, or nothing.
struct SkewOptions {
  double uniform_us = 0;  // each delay is drawn from 0 to this
  std::string file{};
  bool asked() const { return uniform_us > 0 || !file.empty(); }
};

// "uniform:50us", or the file's name; empty: none is asked for.
std::string skew_text(const SkewOptions& options);

// Immutable, so any thread may read it.
class SkewPattern {
 public:
  static constexpr double kMaxUs = 1e7;  // of one delay: ten seconds
  static constexpr std::size_t kMaxTextBytes = std::size_t{16} << 20;

  // A delay for each rank and sample, evenly from 0 to `most_us`; the same ones for equal seeds.
  static SkewPattern uniform(double most_us, std::uint64_t seed);

  // A line for each of `nranks` ranks, in order: its delays in microseconds, with blanks between
  // them. Sample i takes the number i of each line, and all begin anew behind a line's last one.
  // Empty lines and those that begin with # say nothing. Anything else is refused by what goes on
  // behind the file's name and a colon.
  static Result<SkewPattern> parse(std::string_view text, int nranks);

  // How late `rank` enters the sample, in nanoseconds.
  std::int64_t delay_ns(int rank, std::uint64_t sample) const;

  // No delay is longer.
  double most_us() const { return most_us_; }

 private:
  double most_us_ = 0;
  std::uint64_t seed_ = 0;
  std::vector<std::vector<double>> rows_us_;  // by rank; empty: uniform
};

// The pattern that `options` ask for; throws Error (usage) that names the file, where it cannot be
// used. REQUIRES: options.asked().
SkewPattern skew_of(const SkewOptions& options, std::uint64_t seed, int nranks);

}  // namespace linerate
