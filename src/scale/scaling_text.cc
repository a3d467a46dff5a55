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

// What rounds to nothing has no sign.
std::string percent(double share) {
  const auto text = fmt::format("{:.1f} %", 100 * share);
  return text == "-0.0 %" ? text.substr(1) : text;
}

// What may be noise has a mark.
std::string loss_text(const std::optional<Loss>& loss) {
  if (!loss) return "-";
  return (loss->is_clear() ? "" : "~") + percent(loss->share);
}

std::string heading(const Table& table) {
  std::string text = fmt::format("# {} scaling: ", name_of(table.scaling));
  text += table.scaling == Scaling::strong ? "the batch is the same on any number of ranks"
                                           : "the batch grows with the ranks";
  if (table.baseline.empty())
    return text + fmt::format(
                      "; no run on {} ended well, so that there is nothing to compare "
                      "with\n",
                      counted(static_cast<std::size_t>(table.base_nranks), "rank"));
  return text + fmt::format("; against {} on {}, {:.2f} ms a step\n", table.baseline,
                            counted(static_cast<std::size_t>(table.base_nranks), "rank"),
                            table.base_us * 1e-3);
}

std::string line_of(const Row& row, std::size_t width) {
  auto line = fmt::format("  {:<{}} {:>5}{} {:>6}", row.layout, width, row.nranks,
                          row.oversubscribed ? '*' : ' ', row.batch);
  if (row.step_us.runs > 0) {
    line += fmt::format(" {:>10.2f} {:>10.2f} {:>10.2f} {:>10.0f}", row.step_us.median * 1e-3,
                        row.step_us.low * 1e-3, row.step_us.high * 1e-3, row.tokens_per_s);
    if (row.speedup)
      line +=
          fmt::format(" {:>8.2f} {:>10} {:>9} {:>13}", *row.speedup, percent(row.efficiency.median),
                      loss_text(row.lost_to_compute), loss_text(row.lost_to_communication));
  }
  if (!row.outcome)
    line += "  not run yet";
  else if (*row.outcome != Outcome::ok)
    line += fmt::format("  {}: {}", name_of(*row.outcome), plain_text(row.reason));
  return line + '\n';
}

Json json_of(const Spread& spread) {
  return {{"median", json::rounded(spread.median)},
          {"low", json::rounded(spread.low)},
          {"high", json::rounded(spread.high)},
          {"runs", spread.runs},
          {"interval", spread.is_interval}};
}

Json json_of(const Loss& loss) {
  return {{"share", json::rounded(loss.share)},
          {"low", json::rounded(loss.low)},
          {"high", json::rounded(loss.high)},
          {"clear", loss.is_clear()}};
}

Json json_of(const Row& row) {
  Json json{{"layout", row.layout},
            {"nranks", row.nranks},
            {"batch", row.batch},
            {"outcome", row.outcome ? name_of(*row.outcome) : "not run yet"},
            {"oversubscribed", row.oversubscribed}};
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
  if (!row.pipeline_step.is_null()) json["pipeline_step"] = row.pipeline_step;
  if (row.control_us) json["control_us"] = json_of(*row.control_us);
  if (!row.speedup) return json;
  json["speedup"] = json::rounded(*row.speedup);
  json["efficiency"] = json_of(row.efficiency);
  if (row.lost_to_compute) json["lost_to_compute"] = json_of(*row.lost_to_compute);
  if (row.lost_to_communication)
    json["lost_to_communication"] = json_of(*row.lost_to_communication);
  return json;
}

}  // namespace

std::string tables_text(const std::vector<Table>& tables) {
  std::string text;
  bool oversubscribed = false, noisy = false;
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
      oversubscribed = oversubscribed || row.oversubscribed;
      for (const auto& loss : {row.lost_to_compute, row.lost_to_communication})
        noisy = noisy || (loss && !loss->is_clear());
    }
  }
  if (noisy)
    text += "# ~: within the spread of the runs, so that it may be noise: give more --repeat\n";
  if (oversubscribed)
    text +=
        "# *: more ranks than cores of this machine, which take turns: no sign of how it "
        "scales\n";
  return text;
}

std::string tables_json(const std::vector<Table>& tables, const std::string& title,
                        const std::vector<std::string>& facts) {
  Json json{{"title", title}, {"facts", facts}, {"tables", Json::array()}};
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
