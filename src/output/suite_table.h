// The last lines of a suite: what each collective reached, by size, and what became of it.
#pragma once

#include "output/sink.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace linerate {

// "8", "1K", "64M": as one would type it.
std::string short_size(std::uint64_t bytes);

// Takes all runs of a suite, one after the other.
class SuiteTable final : public Sink {
 public:
  // `asked_bytes`: the sizes of one sweep, as they were asked for: rows may be rounded down.
  explicit SuiteTable(std::vector<std::size_t> asked_bytes);

  void begin(const RunInfo& run) override;
  void row(std::span<const Record> table) override;
  void end(const EndInfo& end) override;

  // Whether no run has ended.
  bool empty() const { return lines_.empty() && pairs_.empty(); }
  // `#` lines without the words that parsers of nccl-tests' table look for.
  std::string text() const;

 private:
  struct Mean {
    double sum = 0;
    int n = 0;
    double value() const { return sum / n; }
  };
  // Rows of one type and operator of a run.
  struct Line {
    std::string collective{}, kind{};     // kind: type and operator
    std::map<std::size_t, Mean> busbw{};  // by place in the sweep; out of place
    std::optional<double> lowest{};       // share of what was expected, over all results
    std::uint64_t lowest_bytes = 0;
    std::string outcome{};
  };
  // Of one of p2p_perf's tests, over all pairs of ranks.
  struct Range {
    std::uint64_t bytes = 0;
    double least = 0, most = 0;
  };

  Line& line_of(const Record& record);
  void add(const Record& record);
  void add_pair(const Record& record);
  std::string heading() const;
  std::string label_of(const Line& line) const;
  std::string line_text(const Line& line) const;
  std::string pairs_text() const;
  std::size_t label_width() const;

  const std::vector<std::size_t> asked_bytes_;
  const std::vector<std::size_t> columns_;  // places in the sweep
  std::string name_;                        // of the run under way
  std::vector<Line> lines_;
  std::size_t first_of_run_ = 0;  // of lines_
  std::size_t rows_of_run_ = 0;
  std::map<std::string, Range> pairs_;  // by test
  std::string pairs_outcome_;
};

}  // namespace linerate
