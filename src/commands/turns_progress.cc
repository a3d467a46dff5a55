#include "commands/turns_progress.h"

#include "base/error.h"
#include "output/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace linerate {

TurnsProgress::TurnsProgress(std::string program, const std::vector<std::size_t>& to_do,
                             ProgressStyle style, std::vector<std::string> names)
    : program_(std::move(program)),
      names_(std::move(names)),
      style_(style),
      out_(TextFile::standard_error()) {
  for (const auto runs : to_do) sides_.push_back({.to_do = runs});
}

std::optional<double> TurnsProgress::mean_seconds(std::size_t side) const {
  const auto& runs = sides_[side];
  if (runs.done == 0) return std::nullopt;
  return runs.seconds / static_cast<double>(runs.done);
}

std::optional<double> TurnsProgress::seconds_left() const {
  std::size_t done = 0;
  double seconds = 0;
  for (const auto& side : sides_) {
    done += side.done;
    seconds += side.seconds;
  }
  if (done == 0) return std::nullopt;
  double left = 0;
  for (std::size_t side = 0; side < sides_.size(); ++side) {
    const double each = mean_seconds(side).value_or(seconds / static_cast<double>(done));
    left += each * static_cast<double>(sides_[side].to_do - sides_[side].done);
  }
  return left;
}

std::string TurnsProgress::line(std::size_t side) const {
  std::size_t done = 0, all = 0;
  for (const auto& one : sides_) {
    done += one.done;
    all += one.to_do;
  }
  auto text = fmt::format("{}: run {} of {}", program_, done + 1, all);
  if (!names_.empty())
    text += fmt::format(" ({})", names_[side]);
  else if (sides_.size() > 1)
    text += fmt::format(" ({})", static_cast<char>('A' + side));
  if (const auto left_s = seconds_left())
    text += fmt::format(", about {} left", duration_text(*left_s));
  return text;
}

void TurnsProgress::begins(std::size_t side) {
  clear();
  if (style_ == ProgressStyle::off) return;
  const bool updating = style_ == ProgressStyle::updating;
  try {
    out_.write(updating ? line(side) : line(side) + '\n');
    visible_ = updating;
  } catch (const SystemError&) {
    style_ = ProgressStyle::off;
  }
}

void TurnsProgress::ended(std::size_t side, double seconds) {
  auto& runs = sides_[side];
  runs.done = std::min(runs.done + 1, runs.to_do);
  runs.seconds += seconds;
}

void TurnsProgress::clear() {
  constexpr const char* kEraseLine = "\r\x1b[K";
  if (!std::exchange(visible_, false)) return;
  try {
    out_.write(kEraseLine);
  } catch (const SystemError&) {
    style_ = ProgressStyle::off;
  }
}

}  // namespace linerate
