#include "base/units.h"

#include "base/text.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

namespace linerate {
namespace {

constexpr double kMaxBytes = 4611686018427387904.0;  // 2^62: sums of a few stay in 64 bits

constexpr std::array<std::string_view, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};

struct Suffix {
  std::string_view name;
  double factor;
};

// Splits "1.5MiB" into the number and what stands behind it.
std::pair<std::string_view, std::string_view> number_and_suffix(std::string_view text) {
  const auto end = text.find_first_not_of("0123456789.+-");
  if (end == std::string_view::npos) return {text, {}};
  return {text.substr(0, end), trim(text.substr(end))};
}

Result<double> scaled(std::string_view what, std::string_view text, std::span<const Suffix> known,
                      std::string_view choices) {
  const auto [digits, suffix] = number_and_suffix(text);
  const auto number = parse_number(what, digits);
  const auto wanted = lower(suffix);
  const auto row = std::ranges::find_if(known, [&](const Suffix& s) { return s.name == wanted; });
  if (!number || row == known.end() || *number < 0)
    return Failure{fmt::format("{} '{}' is not {}.", what, text, choices)};
  return *number * row->factor;
}

}  // namespace

Result<std::size_t> parse_bytes(std::string_view what, std::string_view text) {
  constexpr double kK = 1024;
  constexpr std::array<Suffix, 14> kSuffixes{{{"", 1},
                                              {"b", 1},
                                              {"k", kK},
                                              {"kb", kK},
                                              {"kib", kK},
                                              {"m", kK * kK},
                                              {"mb", kK * kK},
                                              {"mib", kK * kK},
                                              {"g", kK * kK * kK},
                                              {"gb", kK * kK * kK},
                                              {"gib", kK * kK * kK},
                                              {"t", kK * kK * kK * kK},
                                              {"tb", kK * kK * kK * kK},
                                              {"tib", kK * kK * kK * kK}}};
  const auto bytes = scaled(what, text, kSuffixes,
                            "a size: write bytes, or a number with K, M, G or T "
                            "(powers of 1024), such as 8, 64K or 1.5G");
  if (!bytes) return bytes.failure();
  if (*bytes > kMaxBytes)
    return Failure{fmt::format("{} '{}' is larger than 2^62 bytes.", what, text)};
  if (*bytes != std::floor(*bytes))
    return Failure{
        fmt::format("{} '{}' is {} bytes, not a whole number of bytes.", what, text, *bytes)};
  return static_cast<std::size_t>(std::llround(*bytes));
}

Result<double> parse_seconds(std::string_view what, std::string_view text) {
  constexpr std::array<Suffix, 5> kSuffixes{
      {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"m", 60}}};
  return scaled(what, text, kSuffixes, "a time: write a number with us, ms, s or m, such as 5s");
}

Result<double> parse_percent(std::string_view what, std::string_view text) {
  constexpr std::array<Suffix, 1> kSuffixes{{{"%", 1e-2}}};
  return scaled(what, text, kSuffixes, "a percentage such as 1%");
}

std::string bytes_text(std::size_t bytes) {
  std::size_t unit = 0;
  while (unit + 1 < kUnits.size() && bytes != 0 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", bytes, kUnits[unit]);
}

std::string about_bytes_text(std::size_t bytes) {
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; unit + 1 < kUnits.size() && value >= 1024; ++unit) value /= 1024;
  return fmt::format("{:.4g} {}", value, kUnits[unit]);
}

std::string utc_text(Moment moment) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(moment);
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(moment - whole).count();
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(whole)), ms);
}

std::string local_text(Moment moment) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S}",
                     fmt::localtime(std::chrono::system_clock::to_time_t(moment)));
}

std::string local_text_of(const std::string& utc) {
  std::tm broken_down{};
  if (::strptime(utc.c_str(), "%Y-%m-%dT%H:%M:%S", &broken_down) == nullptr) return utc;
  return local_text(std::chrono::system_clock::from_time_t(::timegm(&broken_down)));
}

}  // namespace linerate
