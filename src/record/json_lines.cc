// Arrays per rank and node are condensed first; then fields.h says what stands in a line.
#include "record/json_lines.h"

#include "base/text.h"
#include "record/fields.h"
#include "record/json_io.h"

#include <fmt/format.h>

#include <algorithm>

namespace linerate {
namespace {

using json::Json;

// Begins with the members of `head`. Text that is not UTF-8 gets replacement characters.
std::string line_of(Json head, const auto& value) {
  json::Writer writer(head);
  fields(writer, value);
  return head.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

// Of many nodes those that are slowest in either direction.
void condense_network(std::vector<NetworkPoint>& points) {
  if (points.size() <= kMaxRanksListed) return;
  const auto slower = [](const NetworkPoint& p) { return std::min(p.send_gbps, p.receive_gbps); };
  std::ranges::stable_sort(points, {}, slower);
  points.resize(kWorstRanks);
}

void condense_ranks(std::vector<double>& per_rank, std::optional<RankSpread>& spread) {
  if (per_rank.size() <= kMaxRanksListed) return;
  spread = condense(per_rank);
  per_rank.clear();
}

void condense_samples(SampleInfo& samples) {
  condense_ranks(samples.late_us, samples.late_spread);
  condense_ranks(samples.wait_us, samples.wait_spread);
  condense_ranks(samples.transfer_us, samples.transfer_spread);
}

void condense_wrong(WrongWhere& where) {
  auto& counts = where.count_per_rank;
  if (counts.size() <= kMaxRanksListed) return;
  where.wrong_ranks = counts.size();
  std::ranges::stable_sort(counts,
                           [](const auto& a, const auto& b) { return a.second > b.second; });
  counts.resize(kWorstRanks);
}

using json::Json;
using json::Reader;

// Why the parser should not see a line, or nothing: what it would build takes memory with each
// bracket, and time with the square of an object's keys, which keep their order.
std::string_view excess_of(std::string_view line, const ReaderLimits& limits) {
  if (line.size() > limits.line_bytes) return "is longer than linerate reads";
  std::vector<std::size_t> keys;  // of each open object or array
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (quoted) {
      continue;
    } else if (c == '{' || c == '[') {
      keys.push_back(0);
      if (keys.size() > limits.depth) return "nests deeper than linerate reads";
    } else if ((c == '}' || c == ']') && !keys.empty()) {
      keys.pop_back();
    } else if (c == ':' && !keys.empty()) {
      if (++keys.back() > limits.keys) return "has an object of more keys than linerate reads";
    }
  }
  return {};
}

void check_schema(Reader& line) {
  int schema = kSchemaVersion;
  line.field("schema", schema);
  if (schema > kSchemaVersion) line.complain("schema");
}

// What follows from what was read, and is not in the line.
void complete(Record& record) {
  if (record.samples) record.samples->us.stdev = record.samples->us.cv * record.samples->us.mean;
}

// Appends what one line holds; yields what is wrong with it, or nothing.
std::string read_line(const Json& object, RunFile& file) {
  std::string problem, kind;
  if (!object.is_object()) return "is not an object with a kind";
  Reader line(object, problem);
  line.field("kind", kind);
  if (!problem.empty() || kind.empty()) return "is not an object with a kind";
  if (kind == "run") {
    check_schema(line);
    fields(line, file.runs.emplace_back());
  } else if (kind == "result") {
    fields(line, file.records.emplace_back());
    complete(file.records.back());
  } else if (kind == "finding") {
    fields(line, file.findings.emplace_back());
  } else if (kind == "health") {
    fields(line, file.health.emplace_back());
  } else if (kind == "end") {
    fields(line, file.ends.emplace_back());
  } else {
    ++file.unknown_lines;
  }
  if (problem.empty()) return {};
  if (problem == "schema") return "is of a schema that this version of linerate does not read";
  return fmt::format("holds a value for '{}' that linerate does not understand", problem);
}

}  // namespace

std::string json_line(RunInfo run) {
  condense_network(run.network);
  return line_of({{"kind", "run"}, {"schema", kSchemaVersion}}, run);
}

std::string json_line(Record record) {
  if (record.samples) condense_samples(*record.samples);
  if (record.where) condense_wrong(*record.where);
  condense_ranks(record.window.core_wait_us, record.window.core_wait_spread);
  return line_of({{"kind", "result"}}, record);
}

std::string json_line(const Finding& finding) { return line_of({{"kind", "finding"}}, finding); }

std::string json_line(const NodeHealth& health) { return line_of({{"kind", "health"}}, health); }

std::string json_line(EndInfo end) {
  condense_network(end.network);
  return line_of({{"kind", "end"}}, end);
}

Result<RunFile> read_jsonl(std::string_view text, const ReaderLimits& limits) {
  RunFile file;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = text.find('\n');
    const bool whole = end != std::string_view::npos;
    const auto line = trim(text.substr(0, end));
    text.remove_prefix(whole ? end + 1 : text.size());
    const auto refuse = [&](std::string_view why) {
      return Failure{fmt::format("Line {} {}.", number, why)};
    };
    if (number > limits.lines) return refuse("is one more than linerate reads");
    if (const auto excess = excess_of(line, limits); !excess.empty()) return refuse(excess);
    if (line.empty()) continue;
    const Json object = Json::parse(line, nullptr, false);
    if (object.is_discarded() && !whole) return file.torn = true, file;
    if (object.is_discarded()) return refuse("is not JSON: it was cut, or the file is another");
    if (const auto problem = read_line(object, file); !problem.empty()) return refuse(problem);
  }
  return file;
}

}  // namespace linerate
