#include "output/matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace linerate {
namespace {

constexpr std::size_t kCell = 9;   // characters of a column, blank included
constexpr std::size_t kLabel = 5;  // of a row's name, at least

std::size_t label_width(const Matrix& matrix) {
  std::size_t width = std::max(kLabel, matrix.corner.size() + 1);
  for (const auto& row : matrix.rows) width = std::max(width, row.size());
  return width;
}

}  // namespace

std::string matrix_text(const Matrix& matrix) {
  const auto width = label_width(matrix);
  auto text = fmt::format("#\n# {}\n#{:>{}}", matrix.title, matrix.corner, width);
  for (const auto& column : matrix.columns) text += fmt::format("{:>{}}", column, kCell);
  text += "\n";
  for (std::size_t r = 0; r < matrix.rows.size(); ++r) {
    text += fmt::format(" {:>{}}", matrix.rows[r], width);
    for (std::size_t c = 0; c < matrix.columns.size(); ++c) {
      const auto cell = matrix.cells.find({static_cast<int>(r), static_cast<int>(c)});
      const auto value =
          cell == matrix.cells.end() ? std::string("N/A") : fmt::format("{:.2f}", cell->second);
      text += fmt::format("{:>{}}", value, kCell);
    }
    text += "\n";
  }
  return text;
}

std::string extremes_text(const Matrix& matrix) {
  if (matrix.cells.empty()) return {};
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto [low, high] = std::ranges::minmax_element(matrix.cells, less);
  const auto cell = [&](const auto& entry) {
    return fmt::format("{:.2f} {} ({}{}{})", entry.second, matrix.unit,
                       matrix.rows[static_cast<std::size_t>(entry.first.first)], matrix.joint,
                       matrix.columns[static_cast<std::size_t>(entry.first.second)]);
  };
  return fmt::format("# lowest {}, highest {}\n", cell(*low), cell(*high));
}

std::string sum_text(const Matrix& matrix) {
  if (matrix.cells.empty()) return {};
  const double sum = std::accumulate(matrix.cells.begin(), matrix.cells.end(), 0.0,
                                     [](double s, const auto& cell) { return s + cell.second; });
  return fmt::format("# sum {:.2f} {}\n", sum, matrix.unit);
}

}  // namespace linerate
