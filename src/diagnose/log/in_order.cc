// What logs say of failures, line by line: the cause may be one that no rule puts first.
#include "base/text.h"
#include "diagnose/log/report.h"

#include <fmt/format.h>

#include <algorithm>

namespace linerate::logs {
namespace {

struct Row {
  std::string place;
  std::string_view rule;
  std::string text;
  bool is_root;
};

bool is_first(const LogFaults::Entry& entry) {
  return entry.quote.line == entry.fault->line && entry.quote.file == entry.fault->file;
}

Row row_of(const LogFaults::Entry& entry, const Fault* root, bool several_files) {
  const auto& [text, time, file, line] = entry.quote;
  const auto& fault = *entry.fault;
  const bool first = is_first(entry);
  const auto count = first ? fault.count - std::min(fault.next.size(), fault.count - 1) : 1;
  return {.place = several_files ? fmt::format("{}:{}", file, line) : fmt::format("line {}", line),
          .rule = fault.rule(),
          .text = shortened(text, 120) + (count > 1 ? fmt::format(" ({} times)", count) : ""),
          .is_root = first && &fault == root};
}

std::string heading(bool several_files, bool timed) {
  if (!several_files) return "The log says, line by line:\n";
  return timed ? "The logs say, by their times:\n" : "The logs say, file by file:\n";
}

}  // namespace

std::string in_order_text(const LogReport& report) {
  constexpr std::size_t kMostRows = 15;
  const auto list = report.faults.in_order();
  const auto* root = report.faults.root();
  if (root == nullptr || list.size() < 2) return {};
  std::vector<Row> rows;
  std::size_t widest_place = 0, widest_rule = 0;
  for (const auto& entry : list) {
    auto row = row_of(entry, root, report.files > 1);
    if (rows.size() >= kMostRows && !row.is_root) continue;
    rows.push_back(std::move(row));
    widest_place = std::max(widest_place, rows.back().place.size());
    widest_rule = std::max(widest_rule, rows.back().rule.size());
  }
  auto text = heading(report.files > 1,
                      !list.front().quote.time.empty() && !list.back().quote.time.empty());
  for (const auto& row : rows)
    text += fmt::format("{} {:<{}}  {:<{}}  {}\n", row.is_root ? '>' : ' ', row.place, widest_place,
                        row.rule, widest_rule, row.text);
  if (list.size() > rows.size()) text += fmt::format("  and {} more\n", list.size() - rows.size());
  return text;
}

}  // namespace linerate::logs
