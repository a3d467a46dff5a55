// What a log says of failures, line by line: the cause may be one that no rule puts first.
#include "base/text.h"
#include "diagnose/log/report.h"

#include <fmt/format.h>

#include <algorithm>

namespace linerate::logs {
namespace {

bool is_first(const LogFaults::Entry& entry) {
  return entry.quote.line == entry.fault->line && entry.quote.file == entry.fault->file;
}

std::string line_text(const LogFaults::Entry& entry, bool is_root, bool several_files) {
  const auto& [text, time, file, line] = entry.quote;
  const auto place =
      several_files ? fmt::format("{}:{}", file, line) : fmt::format("line {}", line);
  const auto& fault = *entry.fault;
  const auto count =
      is_first(entry) ? fault.count - std::min(fault.next.size(), fault.count - 1) : 1;
  return fmt::format("{} {:<9} {:<20} {}{}\n", is_root ? '>' : ' ', place, fault.rule(),
                     shortened(text, 120), count > 1 ? fmt::format(" ({} times)", count) : "");
}

}  // namespace

std::string in_order_text(const LogReport& report) {
  constexpr std::size_t kMostLines = 15;
  const auto list = report.faults.in_order();
  const auto* root = report.faults.root();
  if (root == nullptr || list.size() < 2) return {};
  std::string text = "The log says, line by line:\n";
  for (const auto& entry : std::span(list).first(std::min(list.size(), kMostLines)))
    text += line_text(entry, entry.fault == root && is_first(entry), report.files > 1);
  return list.size() <= kMostLines
             ? text
             : text + fmt::format("  and {} more\n", list.size() - kMostLines);
}

}  // namespace linerate::logs
