#include "output/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

namespace linerate {

std::string fitted(double value, int width) {
  std::string text;
  for (int decimals = 2; decimals >= 0; --decimals) {
    text = fmt::format("{:{}.{}f}", value, width, decimals);
    if (text.size() <= static_cast<std::size_t>(width)) break;
  }
  return text;
}

std::string plain(double value) {
  constexpr int kSignificant = 6;
  constexpr int kMaxDecimals = 12;
  if (value == 0 || !std::isfinite(value)) return fmt::format("{:.0f}", value);
  const int magnitude = static_cast<int>(std::floor(std::log10(std::abs(value))));
  const int decimals = std::clamp(kSignificant - 1 - magnitude, 0, kMaxDecimals);
  auto text = fmt::format("{:.{}f}", value, decimals);
  if (decimals == 0) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

namespace {

// Three figures in the first unit that leaves less than `step` of them, or in the last.
std::string in_unit(double amount, double step, std::span<const std::string_view> units) {
  std::size_t unit = 0;
  for (; unit + 1 < units.size() && amount >= step; ++unit) amount /= step;
  const int decimals = amount < 10 ? 2 : amount < 100 ? 1 : 0;
  return fmt::format("{:.{}f} {}", amount, decimals, units[unit]);
}

}  // namespace

std::string memory_text(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 4> kUnits{"B", "KB", "MB", "GB"};
  return in_unit(static_cast<double>(bytes), 1024, kUnits);
}

std::string microseconds_text(double us) {
  constexpr std::array<std::string_view, 3> kUnits{"us", "ms", "s"};
  return in_unit(us, 1000, kUnits);
}

std::string duration_text(double seconds) {
  const auto whole = std::llround(std::max(0.0, seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace linerate
