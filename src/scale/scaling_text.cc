#include "scale/scaling_text.h"

#include "base/text.h"
#include "record/json_io.h"

#include <fmt/format.h>

#include <algorithm>

namespace linerate::scale {
namespace {

using json::Json;

std::size_t name_width(const Table& table) {
  std::size_t width = 8;
  for (const auto& row : table.rows) width = std::max(width, columns_of(row.layout));
  return width;
}

std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f} %", 100 * *share) : "-";
}

std::string heading(const Table& table) {
  std::string text = fmt::format("# {} scaling: ", name_of(table.scaling));
  text += table.scaling == Scaling::strong ? "the batch is the same on any number of ranks"
                                           : "the batch grows with the ranks";
  if (table.baseline.empty()) return text + "; no run on the fewest ranks to compare with\n";
  return text + fmt::format("; against {} on {}, {:.2f} ms a step\n", table.baseline,
                            counted(static_cast<std::size_t>(table.base_nranks), "rank"),
                            table.base_us * 1e-3);
}

std::string line_of(const Row& row, std::size_t width) {
  auto line = fmt::format("  {:<{}} {:>5}{} {:>6}", row.layout, width, row.nranks,
                          row.crowded ? '*' : ' ', row.batch);
  if (row.step_us.runs > 0) {
    line += fmt::format(" {:>10.2f} {:>10.2f} {:>10.2f} {:>10.0f}", row.step_us.median * 1e-3,
                        row.step_us.low * 1e-3, row.step_us.high * 1e-3, row.tokens_per_s);
    if (row.speedup > 0)
      line +=
          fmt::format(" {:>8.2f} {:>10} {:>9} {:>13}", row.speedup, percent(row.efficiency.median),
                      percent(row.lost_to_compute), percent(row.lost_to_communication));
  }
  if (row.outcome != Outcome::ok)
    line += fmt::format("  {}: {}", name_of(row.outcome), plain_text(row.reason));
  return line + '\n';
}

Json json_of(const Spread& spread) {
  return {{"median", json::rounded(spread.median)},
          {"low", json::rounded(spread.low)},
          {"high", json::rounded(spread.high)},
          {"runs", spread.runs},
          {"interval", spread.is_interval()}};
}

Json json_of(const Row& row) {
  Json json{{"layout", row.layout},
            {"nranks", row.nranks},
            {"batch", row.batch},
            {"outcome", name_of(row.outcome)},
            {"crowded", row.crowded}};
  if (!row.reason.empty()) json["reason"] = plain_text(row.reason);
  if (row.step_us.runs == 0) return json;
  Json axes = Json::object();
  for (const auto& [axis, us] : row.times.exposed_us) axes[axis] = json::rounded(us);
  json["step_us"] = json_of(row.step_us);
  json["parts_us"] = {{"compute", json::rounded(row.times.compute_us)},
                      {"wait", json::rounded(row.times.wait_us)},
                      {"transfer", json::rounded(row.times.transfer_us)},
                      {"idle", json::rounded(row.times.idle_us)}};
  json["exposed_us"] = axes;
  json["tokens_per_s"] = json::rounded(row.tokens_per_s);
  if (row.control_us) json["control_us"] = json_of(*row.control_us);
  if (row.speedup == 0) return json;
  json["speedup"] = json::rounded(row.speedup);
  json["efficiency"] = json_of(row.efficiency);
  if (row.lost_to_compute) json["lost_to_compute"] = json::rounded(*row.lost_to_compute);
  if (row.lost_to_communication)
    json["lost_to_communication"] = json::rounded(*row.lost_to_communication);
  return json;
}

}  // namespace

std::string tables_text(const std::vector<Table>& tables) {
  std::string text;
  bool crowded = false;
  for (const auto& table : tables) {
    const auto width = name_width(table);
    text += (text.empty() ? "" : "\n") + heading(table);
    text += fmt::format("# {:<{}} {:>5}  {:>6} {:>10} {:>10} {:>10} {:>10} {:>8} {:>10} {:>23}\n",
                        "", width, "", "", "", "", "", "", "", "", "lost to");
    text +=
        fmt::format("# {:<{}} {:>5}  {:>6} {:>10} {:>10} {:>10} {:>10} {:>8} {:>10} {:>9} {:>13}\n",
                    "layout", width, "ranks", "batch", "step ms", "low", "high", "tokens/s",
                    "speed-up", "efficiency", "compute", "communication");
    for (const auto& row : table.rows) {
      text += line_of(row, width);
      crowded = crowded || row.crowded;
    }
  }
  if (crowded)
    text +=
        "# *: more ranks than cores of this machine, which take turns: no sign of how it "
        "scales\n";
  return text;
}

std::string tables_json(const std::vector<Table>& tables, const std::string& title) {
  Json json{{"title", title}, {"tables", Json::array()}};
  for (const auto& table : tables) {
    Json rows = Json::array();
    for (const auto& row : table.rows) rows.push_back(json_of(row));
    json["tables"].push_back({{"scaling", name_of(table.scaling)},
                              {"baseline", table.baseline},
                              {"base_nranks", table.base_nranks},
                              {"base_us", json::rounded(table.base_us)},
                              {"rows", rows}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace linerate::scale
