// Values between places as text: a row and a column for each, N/A where nothing was measured.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace linerate {

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

}  // namespace linerate
