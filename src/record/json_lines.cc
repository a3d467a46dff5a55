// Arrays per rank and node are condensed first; then fields.h says what stands in a line.
#include "record/json_lines.h"

#include "record/fields.h"
#include "record/json_io.h"

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

void condense_late(SampleInfo& samples) {
  if (samples.late_us.size() <= kMaxRanksListed) return;
  samples.late_spread = condense(samples.late_us);
  samples.late_us.clear();
}

void condense_wrong(WrongWhere& where) {
  auto& counts = where.count_per_rank;
  if (counts.size() <= kMaxRanksListed) return;
  where.wrong_ranks = counts.size();
  std::ranges::stable_sort(counts,
                           [](const auto& a, const auto& b) { return a.second > b.second; });
  counts.resize(kWorstRanks);
}

}  // namespace

std::string json_line(RunInfo run) {
  condense_network(run.network);
  return line_of({{"kind", "run"}, {"schema", kSchemaVersion}}, run);
}

std::string json_line(Record record) {
  if (record.samples) condense_late(*record.samples);
  if (record.where) condense_wrong(*record.where);
  return line_of({{"kind", "result"}}, record);
}

std::string json_line(const Finding& finding) { return line_of({{"kind", "finding"}}, finding); }

std::string json_line(EndInfo end) {
  condense_network(end.network);
  return line_of({{"kind", "end"}}, end);
}

}  // namespace linerate
