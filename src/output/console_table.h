// The tables on stdout: nccl-tests' rows, each as soon as it is measured, and p2p_perf's matrices
// at the end.
#pragma once

#include "output/sink.h"
#include "output/table_text.h"
#include "output/text_file.h"
#include "output/verdict_text.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace linerate {

class ConsoleTable final : public Sink {
 public:
  ConsoleTable(TextFile out, TableOptions options);

  // Each throws SystemError when stdout cannot be written, a closed pipe included.
  void begin(const RunInfo& run) override;
  void row(std::span<const Record> table) override;
  // Prints nothing where no heading was printed.
  void end(const EndInfo& end) override;

 private:
  TextFile out_;
  TableOptions options_;
  std::string program_;
  VerdictText verdicts_;
  std::string skewed_;     // a line for each result whose ranks came late on purpose
  std::string beside_;     // a line for each result that was measured beside a load
  BesideInfo measured_;    // the latest of them
  std::string call_line_;  // that stands above the rows so far; empty: none
  bool begun_ = false;
};

// Values between ranks or GPUs: a row and a column for each, N/A where nothing was measured.
struct Matrix {
  std::string title{};   // "One way, 8 bytes (GB/s)"
  std::string corner{};  // what row and column count: "rank"
  const char* unit = "";
  const char* joint = " -> ";  // between row and column where a cell is named
  std::vector<std::string> rows{}, columns{};
  std::map<std::pair<int, int>, double> cells{};  // by row and column, as indices
};

// An empty `#` line, the title, the columns, a line for each row.
std::string matrix_text(const Matrix& matrix);

// "# lowest 4.95 GB/s (0 -> 2), highest 9.81 GB/s (2 -> 1)"; empty where nothing was measured.
std::string extremes_text(const Matrix& matrix);

// "# sum 24.57 GB/s"; the same.
std::string sum_text(const Matrix& matrix);

// Prints the ranks at begin and the matrices at end; a pair that was not measured prints N/A.
class P2pTable final : public Sink {
 public:
  P2pTable(TextFile out, TableOptions options)
      : out_(std::move(out)), options_(std::move(options)) {}

  void begin(const RunInfo& run) override;
  void row(std::span<const Record> table) override;
  void end(const EndInfo& end) override;

 private:
  struct Measured {
    std::uint64_t bytes = 0;
    std::map<std::pair<int, int>, double> cells{};
  };
  // The matrix of a collective; `title` has {} where the bytes stand.
  std::string text_of(const char* collective, const char* title, const char* unit);

  TextFile out_;
  const TableOptions options_;
  int nranks_ = 0;
  std::map<std::string, Measured> matrices_;  // by the record's collective
  VerdictText verdicts_;
};

}  // namespace linerate
