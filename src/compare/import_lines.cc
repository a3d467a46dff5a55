#include "compare/import_lines.h"

#include "base/text.h"
#include "collectives/collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace linerate {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

}  // namespace

std::string_view without_launcher_mark(std::string_view line) {
  if (line.starts_with('[')) {
    const auto end = line.find(">:");
    const auto mark = line.substr(0, end);
    if (end != std::string_view::npos && mark.find("]<std") != std::string_view::npos)
      return line.substr(end + 2);
  }
  const auto colon = line.find(": ");
  if (colon == std::string_view::npos) return line;
  const auto label = trim(line.substr(0, colon));
  return !label.empty() && std::ranges::all_of(label, is_digit) ? line.substr(colon + 2) : line;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < line.size();) {
    if (is_blank(line[i])) {
      ++i;
      continue;
    }
    auto end = i;
    while (end < line.size() && !is_blank(line[end])) ++end;
    words.push_back(line.substr(i, end - i));
    i = end;
  }
  return words;
}

std::optional<std::uint64_t> whole(std::string_view word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

std::optional<double> decimal(std::string_view word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::string collective_of(std::string_view program) {
  const auto slash = program.find_last_of('/');
  if (slash != std::string_view::npos) program.remove_prefix(slash + 1);
  const Collective* longest = nullptr;
  for (const auto* row : all_collectives())
    if (program.starts_with(row->binary) &&
        (longest == nullptr || row->binary.size() > longest->binary.size()))
      longest = row;
  return std::string(longest != nullptr ? longest->name : program);
}

bool LineReader::next(std::string_view& line) {
  if (rest_.empty() || !refusal_.empty()) return false;
  ++number_;
  const auto end = rest_.find('\n');
  line = trim(rest_.substr(0, end));
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  if (line.size() > limits_.line_bytes) {
    refusal_ = fmt::format("Line {} is longer than linerate reads.", number_);
    return false;
  }
  line = without_launcher_mark(line);
  return true;
}

}  // namespace linerate
