// Lines of a benchmark's text, as words; what the readers of text formats share.
#pragma once

#include "compare/import.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

// Without the mark that a launcher has put before the line: "[1,0]<stdout>:" of mpirun
// --tag-output, "0: " of srun --label.
std::string_view without_launcher_mark(std::string_view line);

std::vector<std::string_view> words_of(std::string_view line);

// A whole number and nothing else; nothing where it is none or too large.
std::optional<std::uint64_t> whole(std::string_view word);
// A finite decimal number and nothing else.
std::optional<double> decimal(std::string_view word);

// "all_reduce" of "/opt/bin/all_reduce_perf_mpi"; what is no collective's program keeps its name.
std::string collective_of(std::string_view program);

// The lines of a text one after the other, each without mark and line end; or why no more.
class LineReader {
 public:
  LineReader(std::string_view text, const ImportLimits& limits) : rest_(text), limits_(limits) {}

  // False at the end, and where a line is too long.
  bool next(std::string_view& line);
  // Of the last line; from 1.
  std::size_t number() const { return number_; }
  // Empty: none.
  const std::string& refusal() const { return refusal_; }

 private:
  std::string_view rest_;
  const ImportLimits& limits_;
  std::size_t number_ = 0;
  std::string refusal_;
};

}  // namespace linerate
