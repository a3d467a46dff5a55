// Progress on stderr: how many rows of the table are done, and how long the rest may take.
#pragma once

#include "base/clock.h"
#include "output/sink.h"
#include "output/text_file.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace linerate {

// A row that was measured: its size, and how long all of its work took.
struct FinishedRow {
  std::uint64_t bytes = 0;
  double seconds = 0;
};

// Seconds that rows of these sizes will take: each as `seconds = fixed + bytes * per_byte`, fitted
// to the finished rows by relative error, neither part negative. Nothing before two rows are
// finished.
std::optional<double> seconds_left(std::span<const FinishedRow> finished,
                                   std::span<const std::uint64_t> to_do);

enum class ProgressStyle : std::uint8_t {
  off,
  updating,  // one line that is written over, for a terminal
  lines,     // a line now and then, for a log
};

// `forced` is what the user asked for, if anything: without it a terminal gets an updating line and
// everything else nothing.
ProgressStyle progress_style(std::optional<bool> forced, bool terminal);

struct ProgressPlan {
  ProgressStyle style = ProgressStyle::off;
  // The sizes of one cycle's rows, in order; empty: rows are counted without forecast.
  std::vector<std::uint64_t> row_bytes{};
  std::uint64_t cycles = 1;  // 0: without end, and so without forecast
};

// A sink around another one: clears its line before the other prints, so that a terminal shows
// both.
class Progress final : public Sink {
 public:
  // `inner` and `clock` outlive it. stderr that cannot be written ends the progress, not the run.
  Progress(Sink& inner, const Clock& clock, TextFile out, ProgressPlan plan);

  void begin(const RunInfo& run) override;
  void result(const Record& record) override;
  void row(std::span<const Record> table) override;
  void end(const EndInfo& end) override;

 private:
  double now_s() const;
  void finish_row();
  std::uint64_t rows_planned() const { return plan_.cycles * plan_.row_bytes.size(); }
  std::optional<double> forecast_s() const;
  std::string line() const;
  void clear();
  void show();
  void print(const std::string& text);

  Sink& inner_;
  const Clock& clock_;
  TextFile out_;
  ProgressPlan plan_;
  std::string program_;
  double began_s_ = 0, row_began_s_ = 0, shown_s_ = 0;
  std::uint64_t rows_done_ = 0;
  std::vector<FinishedRow> finished_;  // the last ones: at most those of one cycle
  bool visible_ = false;
};

}  // namespace linerate
