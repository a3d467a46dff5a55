#include "sweep/table.h"

#include "base/error.h"
#include "base/text.h"
#include "output/file_sinks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace linerate::sweep {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string> kHeading{"outcome", "seconds", "run",   "collective",
                                        "sizes",   "type",    "redop", "ranks",
                                        "backend", "algo",    "busbw", "variables"};

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

// {"NCCL_ALGO":"Ring"} -> "NCCL_ALGO=Ring"
std::string variables_text(const std::string& json) {
  const auto object = Json::parse(json, nullptr, false);
  if (!object.is_object()) return {};
  std::vector<std::string> words;
  for (const auto& [name, value] : object.items())
    if (value.is_string()) words.push_back(fmt::format("{}={}", name, value.get<std::string>()));
  return plain_text(fmt::format("{}", fmt::join(words, " ")));
}

std::vector<std::string> row_of(const FinishedCase& of) {
  const auto ranks = of.nodes > 0 ? fmt::format("{}x{}", of.nodes, of.ranks_per_node) : "";
  std::vector<std::string> cells{std::string(name_of(of.outcome)),
                                 fmt::format("{:.1f}", of.elapsed_s),
                                 fmt::to_string(of.repeat),
                                 of.collective,
                                 of.sizes,
                                 of.type,
                                 of.redop,
                                 ranks,
                                 of.backend,
                                 of.algorithm,
                                 of.busbw_gbps > 0 ? fmt::format("{:.2f}", of.busbw_gbps) : "",
                                 variables_text(of.variables)};
  for (auto& cell : cells) cell = or_dash(plain_text(cell));
  return cells;
}

std::string line_of(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i)
    line += cells[i] + std::string(widths[i] + 2 - std::min(widths[i], columns_of(cells[i])), ' ');
  return std::string(trim(line));
}

// Case columns as cells of CSV, with a comma behind each.
std::string csv_cells(const std::vector<std::string>& cells) {
  std::string line;
  for (const auto& cell : cells) line += csv_cell(cell) + ',';
  return line;
}

}  // namespace

void ListText::add(const FinishedCase& of) {
  rows_.push_back(row_of(of));
  reasons_.push_back(plain_text(of.reason));
}

std::string ListText::text() const {
  std::vector<std::size_t> widths;
  for (const auto& name : kHeading) widths.push_back(columns_of(name));
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], columns_of(row[i]));
  auto text = "# " + line_of(kHeading, widths) + '\n';
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    text += "  " + line_of(rows_[i], widths) + '\n';
    if (!reasons_[i].empty()) text += "#   " + reasons_[i] + '\n';
  }
  return text;
}

std::string counts_text(const std::map<Outcome, std::size_t>& counts) {
  std::vector<std::string> words;
  for (const auto& [outcome, count] : counts)
    words.push_back(fmt::format("{} {}", count, name_of(outcome)));
  return words.empty() ? "no case" : fmt::format("{}", fmt::join(words, ", "));
}

std::string json_lines(const FinishedCase& of) {
  const auto names = case_columns();
  const auto cells = cells_of(of);
  Json line{{"kind", "case"}, {"schema", kDatabaseSchema}};
  for (std::size_t i = 0; i < names.size(); ++i) line[std::string(names[i])] = cells[i];
  line["repeat"] = of.repeat;
  line["nodes"] = of.nodes;
  line["ranks_per_node"] = of.ranks_per_node;
  line["exit_code"] = of.exit_code;
  line["elapsed_s"] = of.elapsed_s;
  line["busbw_gbps"] = of.busbw_gbps;
  line["load_1min"] = of.load_1min;
  line["seed"] = of.seed;
  for (const auto* key : {"variables", "environment"})
    if (auto value = Json::parse(line[key].get<std::string>(), nullptr, false);
        !value.is_discarded())
      line[key] = std::move(value);
  auto text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n' + of.records;
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

std::string csv_heading_of_cases() {
  std::string line;
  for (const auto name : case_columns()) line += fmt::format("case_{},", name);
  return line + csv_heading();
}

std::string csv_lines(const FinishedCase& of) {
  const auto records = read_jsonl(of.records);
  if (!records)
    throw Error(
        fmt::format("The records of '{}' cannot be read: {}", of.command, records.sentence()));
  const auto cells = csv_cells(cells_of(of));
  if (records->records.empty()) {
    const auto heading = csv_heading();
    const auto commas = static_cast<std::size_t>(std::ranges::count(heading, ','));
    return cells + std::string(commas, ',') + '\n';
  }
  std::string lines;
  for (const auto& record : records->records) lines += cells + csv_line(record);
  return lines;
}

}  // namespace linerate::sweep
