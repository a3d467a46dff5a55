// Progress on stderr: how much of a plan is done, and how long the rest will take.
#pragma once

#include "base/clock.h"
#include "output/sink.h"
#include "output/text_file.h"
#include "output/time_left.h"

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace linerate {

enum class ProgressStyle : std::uint8_t {
  off,
  updating,  // one line that is written over, for a terminal
  lines,     // a line now and then, for a log
};

// `forced` is what the user asked for, if anything: without it a terminal gets an updating line and
// everything else nothing.
ProgressStyle progress_style(std::optional<bool> forced, bool terminal);

// What the time within a piece is spent on.
enum class Doing : std::uint8_t { other, calls, data };

// The line and what it tells. Any thread may call it: one thread tells what is done, and another
// one keeps the line fresh by tick(). stderr that cannot be written ends the progress, not the run.
// Who tells never waits for a terminal, unless it hides the line.
class Progress {
 public:
  // `clock` outlives it. `counted` is what a piece is called in the line, as in "3 of 4 results".
  Progress(const Clock& clock, TextFile out, ProgressStyle style, std::string counted);

  // Time starts now.
  void begin();
  // The blocks from `first` on; where there are none, results are counted without forecast.
  void plan(std::size_t first, std::vector<Block> blocks);
  // The name at the head of the line.
  void name(std::string text);
  // As many runs like this one come after it, of processes to come: what is left is theirs, too.
  // `each_s`: how long those before took on average, which is how long this one and they will take;
  // 0: there were none.
  void followed_by(int runs, double each_s = 0);
  // From now on `doing` that, over so many calls, until the next one or done().
  void now(Doing doing, double calls = 0);
  void filled(double bytes, double seconds);
  // A result is there, of so many that end a piece. `what`: how it is, for the end of the line.
  void done(std::string what = {});
  // A block begins.
  void begin_block(std::size_t block);

  // Takes the line away, before something else is printed; puts it back, unless it was drawn just
  // before and nobody asked for it meanwhile.
  void hide();
  void show();
  // Draws the line anew; a log gets it every ten seconds.
  void tick();

 private:
  double now_s() const { return static_cast<double>(clock_.now_ns()) * 1e-9; }
  void end_stage(double at_s);
  std::string line() const;
  std::optional<double> seconds_left(double at_s) const;
  void draw();
  void print(const std::string& text);

  const Clock& clock_;
  const std::string counted_;
  mutable std::mutex state_;  // guards what is told
  std::string name_, latest_;
  TimeLeft left_;
  double began_s_, piece_began_s_, stage_began_s_;
  Doing doing_ = Doing::other;
  double stage_calls_ = 0;
  int results_ = 0;  // of the piece under way
  int later_runs_ = 0;
  double run_s_ = 0;    // of a run before
  std::mutex writing_;  // guards what is drawn; taken before state_
  TextFile out_;
  ProgressStyle style_;
  double shown_s_ = 0;
  bool hidden_ = false, visible_ = false;
  bool overdue_ = false;  // a tick fell into the time when the line was hidden
};

// A sink around another one: takes the line away before the other prints.
class UnderProgress final : public Sink {
 public:
  // Both outlive it.
  UnderProgress(Sink& inner, Progress& progress) : inner_(inner), progress_(progress) {}

  void begin(const RunInfo& run) override {
    aside([&] { inner_.begin(run); });
  }
  void result(const Record& record) override { inner_.result(record); }
  void row(std::span<const Record> table) override {
    aside([&] { inner_.row(table); });
  }
  // The line stays away.
  void end(const EndInfo& end) override {
    progress_.hide();
    inner_.end(end);
  }

  // Prints with the line out of the way.
  template <typename Print>
  void aside(const Print& print) {
    progress_.hide();
    print();
    progress_.show();
  }

 private:
  Sink& inner_;
  Progress& progress_;
};

}  // namespace linerate
