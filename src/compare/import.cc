// The first character, and then the words of a heading, tell which format a text has.
#include "compare/import.h"

#include "base/text.h"
#include "base/units.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

namespace linerate {
namespace {

enum class Format : std::uint8_t {
  json_lines,
  nccl_tests_json,
  perftest_json,
  nccl_tests_text,
  osu_text,
  none
};

// JSON Lines begin with a `run`, or at least with a line that is an object of some kind.
bool is_json_lines(std::string_view text) {
  const auto line = trim(text.substr(0, text.find('\n')));
  return line.starts_with("{\"kind\":");
}

Format format_of(std::string_view text) {
  const auto begin = trim(text);
  if (is_json_lines(begin)) return Format::json_lines;
  if (begin.starts_with('{'))
    return begin.find("\"test_info\"") != std::string_view::npos ? Format::perftest_json
                                                                 : Format::nccl_tests_json;
  if (text.find("# OSU ") != std::string_view::npos) return Format::osu_text;
  if (text.find("algbw") != std::string_view::npos) return Format::nccl_tests_text;
  return Format::none;
}

Result<RunFile> read(std::string_view text, const ImportLimits& limits) {
  switch (format_of(text)) {
    case Format::json_lines:
      return read_jsonl(text);
    case Format::nccl_tests_json:
      return read_nccl_tests_json(text);
    case Format::perftest_json:
      return read_perftest_json(text);
    case Format::nccl_tests_text:
      return read_nccl_tests_text(text, limits);
    case Format::osu_text:
      return read_osu_text(text, limits);
    case Format::none:
      break;
  }
  return Failure{
      "It holds no runs of linerate (--jsonl), nccl-tests or rccl-tests (the table, or -J), OSU "
      "micro-benchmarks, or perftest (--out_json)."};
}

// Fewer results than this, of two or three digits each, may be equal by chance.
constexpr std::size_t kFewResults = 4;

void name_runs(RunFile& file, const std::string& name) {
  struct Told {
    std::string text{};
    std::size_t results = 0;
  };
  std::map<std::string, Told> told;
  for (auto record : file.records) {
    auto& run = told[std::exchange(record.run_id, {})];
    run.text += json_line(std::move(record));
    ++run.results;
  }
  for (auto info : file.runs) {
    const auto place = std::exchange(info.run_id, {});
    auto& run = told[place];
    if (run.results < kFewResults) run.text += fmt::format("{} {}", name, place);
    run.text = fmt::format("{:016x}", fnv1a(run.text + json_line(std::move(info))));
  }
  for (auto& info : file.runs) info.run_id = told[info.run_id].text;
  for (auto& record : file.records) record.run_id = told[record.run_id].text;
  for (auto& end : file.ends) end.run_id = told[end.run_id].text;
}

std::string why_no_results(const RunFile& file) {
  for (const auto& run : file.runs)
    if (run.program.starts_with("train_"))
      return fmt::format("It holds steps of {}, which are no benchmark's results.", run.program);
  return "It holds no result.";
}

}  // namespace

Result<RunFile> read_runs(const std::string& name, std::string_view text,
                          const ImportLimits& limits) {
  if (text.size() > limits.bytes)
    return Failure{fmt::format("'{}': It has {}; at most {} are read.", name,
                               about_bytes_text(text.size()), bytes_text(limits.bytes))};
  auto read_file = read(text, limits);
  if (!read_file) return Failure{fmt::format("'{}': {}", name, read_file.sentence())};
  auto file = *std::move(read_file);
  if (file.records.empty()) return Failure{fmt::format("'{}': {}", name, why_no_results(file))};
  if (format_of(text) != Format::json_lines) name_runs(file, name);
  return file;
}

}  // namespace linerate
