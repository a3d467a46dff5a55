// p2p_perf's table: n x n matrices of latency, unidirectional and bidirectional bandwidth.
#pragma once

#include "output/sink.h"
#include "output/table_options.h"
#include "output/text_file.h"
#include "output/verdict_text.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace linerate {

// Prints the ranks at begin and the matrices at end; a pair that was not measured prints N/A.
class P2pTable final : public Sink {
 public:
  P2pTable(TextFile out, TableOptions options)
      : out_(std::move(out)), options_(std::move(options)) {}

  void begin(const RunInfo& run) override;
  void row(std::span<const Record> table) override;
  void end(const EndInfo& end) override;

 private:
  using Cells = std::map<std::pair<int, int>, double>;
  struct Heading {
    std::string collective, title;
    const char* unit;
  };
  std::string text_of(const Heading& heading);

  TextFile out_;
  const TableOptions options_;
  int nranks_ = 0;
  std::map<std::string, Cells> matrices_;  // by the record's collective
  std::map<std::string, std::uint64_t> bytes_;
  VerdictText verdicts_;
};

}  // namespace linerate
