// p2p_perf's table: n x n matrices of latency, unidirectional and bidirectional bandwidth.
#pragma once

#include "output/sink.h"

#include <cstdio>
#include <map>
#include <string>
#include <utility>

namespace linerate {

// Prints the ranks at begin and the matrices at end; a pair that was not measured prints N/A.
// `out` stays open and is the caller's.
class P2pTable final : public Sink {
 public:
  explicit P2pTable(std::FILE* out) : out_(out) {}

  void begin(const RunInfo& run) override;
  void row(std::span<const Record> table, std::span<const Record> groups) override;
  void end(const EndInfo& end) override;

 private:
  using Matrix = std::map<std::pair<int, int>, double>;
  struct Heading {
    std::string collective, title;
    const char* unit;
  };
  void print_matrix(const Heading& heading);
  void print_extremes(const Matrix& matrix, const char* unit);

  std::FILE* out_;
  int nranks_ = 0;
  std::map<std::string, Matrix> matrices_;  // by the record's collective
  std::map<std::string, std::uint64_t> bytes_;
};

}  // namespace linerate
