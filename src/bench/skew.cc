#include "bench/skew.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/splitmix.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace linerate {
namespace {

constexpr std::string_view kBlank = " \t\r\v\f";

Failure refused(std::size_t line, std::string_view why) {
  return Failure{fmt::format("line {} {}.", line, why)};
}

// The delays of one line.
Result<std::vector<double>> parse_row(std::string_view text, std::size_t line) {
  std::vector<double> row;
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
    if (text.empty()) return row;
    const auto word = text.substr(0, text.find_first_of(kBlank));
    const auto delay_us = parse_number("delay", word);
    if (!delay_us || *delay_us < 0 || *delay_us > SkewPattern::kMaxUs)
      return refused(line, fmt::format("holds '{}': a delay is a number of microseconds from 0 to "
                                       "{:.0f}",
                                       plain_text(shortened(word, 24)), SkewPattern::kMaxUs));
    row.push_back(*delay_us);
    text.remove_prefix(word.size());
  }
}

}  // namespace

std::string skew_text(const SkewOptions& options) {
  if (options.uniform_us > 0) return fmt::format("uniform:{}us", options.uniform_us);
  return options.file;
}

SkewPattern SkewPattern::uniform(double most_us, std::uint64_t seed) {
  SkewPattern pattern;
  pattern.most_us_ = most_us;
  pattern.seed_ = seed;
  return pattern;
}

Result<SkewPattern> SkewPattern::parse(std::string_view text, int nranks) {
  SkewPattern pattern;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto words = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (words.empty() || words.starts_with('#')) continue;
    auto row = parse_row(words, line);
    if (!row) return row.failure();
    pattern.most_us_ = std::max(pattern.most_us_, std::ranges::max(*row));
    pattern.rows_us_.push_back(*std::move(row));
  }
  if (std::cmp_not_equal(pattern.rows_us_.size(), nranks))
    return Failure{fmt::format("it has {} of delays, and there are {}: give a line for each rank.",
                               counted(pattern.rows_us_.size(), "line"),
                               counted(static_cast<std::size_t>(nranks), "rank"))};
  return pattern;
}

std::int64_t SkewPattern::delay_ns(int rank, std::uint64_t sample) const {
  const auto row = static_cast<std::size_t>(rank);
  if (!rows_us_.empty()) {
    assert(row < rows_us_.size());
    const auto& delays_us = rows_us_[row];
    return std::llround(delays_us[sample % delays_us.size()] * kNsPerUs);
  }
  const auto bits = splitmix64(splitmix64(seed_ ^ (row + 1)) + sample);
  return std::llround(std::ldexp(static_cast<double>(bits >> 11), -53) * most_us_ * kNsPerUs);
}

SkewPattern skew_of(const SkewOptions& options, std::uint64_t seed, int nranks) {
  assert(options.asked());
  if (options.file.empty()) return SkewPattern::uniform(options.uniform_us, seed);
  const auto refuse = [&](const std::string& why) {
    return Error(fmt::format("--skew '{}': {}", options.file, why), ExitCode::usage);
  };
  const auto text = read_regular_file(options.file, SkewPattern::kMaxTextBytes);
  if (!text) throw refuse(text.sentence() + " Give a file of delays, or uniform:TIME.");
  auto pattern = SkewPattern::parse(*text, nranks);
  if (!pattern) throw refuse(pattern.sentence());
  return std::move(pattern).value();
}

}  // namespace linerate
