// What is told and what is drawn have a lock each, so that a terminal that takes nothing holds up
// the one who draws alone.
#include "output/progress.h"

#include "base/error.h"
#include "output/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace linerate {
namespace {

constexpr double kBetweenLines_s = 10;      // of a log
constexpr double kBetweenDrawings_s = 0.2;  // at least: rows may come faster than anybody reads
constexpr double kEnd_s = 0.25;             // from the last result to the end of the run
constexpr const char* kEraseLine = "\r\x1b[K";

}  // namespace

ProgressStyle progress_style(std::optional<bool> forced, bool terminal) {
  if (!forced.value_or(terminal)) return ProgressStyle::off;
  return terminal ? ProgressStyle::updating : ProgressStyle::lines;
}

Progress::Progress(const Clock& clock, TextFile out, ProgressStyle style, std::string counted)
    : clock_(clock), counted_(std::move(counted)), out_(std::move(out)), style_(style) {
  begin();
}

void Progress::begin() {
  const std::lock_guard drawing(writing_);
  const std::lock_guard lock(state_);
  began_s_ = piece_began_s_ = stage_began_s_ = now_s();
  shown_s_ = style_ == ProgressStyle::lines ? began_s_ : began_s_ - kBetweenDrawings_s;
}

void Progress::plan(std::size_t first, std::vector<Block> blocks) {
  const std::lock_guard lock(state_);
  left_.plan(first, std::move(blocks));
}

void Progress::name(std::string text) {
  const std::lock_guard lock(state_);
  name_ = std::move(text);
}

void Progress::followed_by(int runs, double each_s) {
  const std::lock_guard lock(state_);
  later_runs_ = runs;
  run_s_ = each_s;
}

void Progress::end_stage(double at_s) {
  const double seconds = at_s - std::exchange(stage_began_s_, at_s);
  if (doing_ == Doing::calls) left_.called(stage_calls_, seconds);
  if (doing_ == Doing::data) left_.touched(seconds);
}

void Progress::now(Doing doing, double calls) {
  const std::lock_guard lock(state_);
  end_stage(now_s());
  doing_ = doing;
  stage_calls_ = calls;
}

void Progress::filled(double bytes, double seconds) {
  const std::lock_guard lock(state_);
  left_.filled(bytes, seconds);
}

void Progress::done(std::string what) {
  const std::lock_guard lock(state_);
  latest_ = std::move(what);
  if (++results_ < left_.results()) return;
  results_ = 0;
  const double at_s = now_s();
  end_stage(at_s);
  doing_ = Doing::other;
  left_.next(at_s - std::exchange(piece_began_s_, at_s));
}

void Progress::begin_block(std::size_t block) {
  const std::lock_guard lock(state_);
  const double at_s = now_s();
  left_.begin(block, at_s - piece_began_s_);
  results_ = 0;
  doing_ = Doing::other;
  piece_began_s_ = stage_began_s_ = at_s;
}

// Of this run and of those to come.
std::optional<double> Progress::seconds_left(double at_s) const {
  const double elapsed_s = at_s - began_s_;
  auto left_s = left_.seconds(at_s - piece_began_s_);
  if (left_s) *left_s += kEnd_s;
  if (run_s_ > elapsed_s) left_s = run_s_ - elapsed_s;
  if (!left_s) return std::nullopt;
  return *left_s + later_runs_ * (run_s_ > 0 ? run_s_ : elapsed_s + *left_s);
}

std::string Progress::line() const {
  const double at_s = now_s();
  const auto elapsed = duration_text(at_s - began_s_);
  const auto done = left_.results_done() + static_cast<std::uint64_t>(results_);
  const auto planned = left_.results_planned();
  const auto latest = latest_.empty() ? "" : "; " + latest_;
  if (planned == 0) return fmt::format("{}: {} {} in {}{}", name_, done, counted_, elapsed, latest);
  auto text = fmt::format("{}: {} of {} {} in {}", name_, done, planned, counted_, elapsed);
  const auto left_s = seconds_left(at_s);
  if (left_s)
    text += fmt::format(", about {} left", duration_text(std::max(1.0, *left_s)));
  else if (done == planned)
    text += ", finishing";
  return text + latest;
}

void Progress::hide() {
  const std::lock_guard lock(writing_);
  hidden_ = true;
  if (std::exchange(visible_, false)) print(kEraseLine);
}

void Progress::show() {
  const std::lock_guard lock(writing_);
  hidden_ = false;
  const bool overdue = std::exchange(overdue_, false);
  if (overdue || now_s() - shown_s_ >= kBetweenDrawings_s) draw();
}

void Progress::tick() {
  const std::lock_guard lock(writing_);
  overdue_ = hidden_;
  if (!hidden_) draw();
}

void Progress::draw() {
  if (style_ == ProgressStyle::off) return;
  const bool updating = style_ == ProgressStyle::updating;
  if (!updating && now_s() - shown_s_ < kBetweenLines_s) return;
  shown_s_ = now_s();
  auto text = [&] {
    const std::lock_guard lock(state_);
    return line();
  }();
  if (!updating) return print(text + '\n');
  print((visible_ ? kEraseLine : "") + text);
  visible_ = true;
}

void Progress::print(const std::string& text) {
  try {
    out_.write(text);
  } catch (const SystemError&) {
    style_ = ProgressStyle::off;
  }
}

}  // namespace linerate
