#include "scale/run_result.h"

#include "stats/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <utility>

namespace linerate::scale {
namespace {

using json::Json;
using json::rounded;

constexpr int kSchema = 1;
constexpr std::size_t kWarmUp = 2;  // steps that are left out, where there are more than twice
constexpr std::array<std::string_view, 4> kOutcomes{"ok", "refused", "failed", "hung"};

// Null where the line is no JSON object.
Json object_of(std::string_view line) {
  auto object = Json::parse(line, nullptr, false);
  return object.is_object() ? object : Json();
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

StepTimes times_of_step(const Json& step) {
  StepTimes times{.step_us = step.value("step_us", 0.0),
                  .compute_us = step.value("compute_us", 0.0),
                  .idle_us = step.value("idle_us", 0.0),
                  .tokens = step.value("tokens", 0.0)};
  for (const auto& call : step.value("comm", Json::array())) {
    const double wait_us = call.value("exposed_wait_us", 0.0);
    const double transfer_us = call.value("exposed_transfer_us", 0.0);
    times.wait_us += wait_us;
    times.transfer_us += transfer_us;
    times.exposed_us[call.value("axis", "")] += wait_us + transfer_us;
  }
  return times;
}

void add(StepTimes& sum, const StepTimes& step) {
  sum.step_us += step.step_us;
  sum.compute_us += step.compute_us;
  sum.wait_us += step.wait_us;
  sum.transfer_us += step.transfer_us;
  sum.idle_us += step.idle_us;
  for (const auto& [axis, us] : step.exposed_us) sum.exposed_us[axis] += us;
  sum.tokens = step.tokens;
}

Json json_of(const StepTimes& times) {
  Json axes = Json::object();
  for (const auto& [axis, us] : times.exposed_us) axes[axis] = rounded(us);
  return {{"step_us", rounded(times.step_us)},
          {"compute_us", rounded(times.compute_us)},
          {"wait_us", rounded(times.wait_us)},
          {"transfer_us", rounded(times.transfer_us)},
          {"idle_us", rounded(times.idle_us)},
          {"exposed_us", axes},
          {"tokens", times.tokens}};
}

StepTimes times_of(const Json& json) {
  return {.step_us = json.at("step_us").get<double>(),
          .compute_us = json.at("compute_us").get<double>(),
          .wait_us = json.at("wait_us").get<double>(),
          .transfer_us = json.at("transfer_us").get<double>(),
          .idle_us = json.at("idle_us").get<double>(),
          .exposed_us = json.at("exposed_us").get<std::map<std::string, double>>(),
          .tokens = json.at("tokens").get<double>()};
}

constexpr int kMostStages = 1024;
constexpr std::string_view kActions[] = {"forward", "backward", "backward_input",
                                         "backward_weight"};

bool is_stage(const Json& value) {
  return value.is_number_unsigned() && value.get<std::uint64_t>() < kMostStages;
}
bool is_action(const Json& value) {
  return std::ranges::any_of(kActions, [&](std::string_view action) { return value == action; });
}
bool is_count(const Json& value) { return value.is_number_unsigned(); }
bool is_time(const Json& value) { return value.is_number(); }

constexpr std::pair<const char*, bool (*)(const Json&)> kPipelineColumns[] = {
    {"stage", is_stage},       {"action", is_action}, {"chunk", is_count},
    {"micro_batch", is_count}, {"start_us", is_time}, {"end_us", is_time}};

// Of columns that are equally long, and that a page can draw.
bool is_pipeline_step(const Json& columns) {
  if (!columns.is_object() || columns.size() != std::size(kPipelineColumns)) return false;
  const auto rows = columns.value("stage", Json()).size();
  for (const auto& [name, holds] : kPipelineColumns) {
    const auto column = columns.value(name, Json());
    if (!column.is_array() || column.size() != rows || rows == 0) return false;
    if (!std::ranges::all_of(column, holds)) return false;
  }
  return true;
}

// Throws what nlohmann's reader throws where a key is missing or of another type.
RunResult result_of(const Json& json) {
  RunResult result{.layout = json.at("layout").get<std::string>(),
                   .nranks = json.at("nranks").get<int>(),
                   .batch = json.at("batch").get<std::uint64_t>(),
                   .control = json.at("control").get<bool>(),
                   .repeat = json.at("repeat").get<int>(),
                   .command = json.at("command").get<std::string>(),
                   .exit_code = json.at("exit_code").get<int>(),
                   .reason = json.value("reason", ""),
                   .elapsed_s = json.at("elapsed_s").get<double>(),
                   .start_time = json.value("start_time", ""),
                   .hostname = json.value("hostname", ""),
                   .version = json.value("version", ""),
                   .load_1min = json.value("load_1min", 0.0)};
  const auto name = json.at("outcome").get<std::string>();
  const auto* const outcome = std::ranges::find(kOutcomes, name);
  if (outcome == kOutcomes.end()) throw std::out_of_range(name);
  result.outcome = static_cast<Outcome>(outcome - kOutcomes.begin());
  if (result.outcome == Outcome::ok) result.times = times_of(json.at("times"));
  if (const auto step = json.find("pipeline_step"); step != json.end()) {
    if (!is_pipeline_step(*step)) throw std::out_of_range("pipeline_step");
    result.pipeline_step = *step;
  }
  return result;
}

}  // namespace

std::string_view name_of(Outcome outcome) { return kOutcomes[static_cast<std::size_t>(outcome)]; }

StepTimes scaled(StepTimes times, double factor) {
  for (double* us :
       {&times.step_us, &times.compute_us, &times.wait_us, &times.transfer_us, &times.idle_us})
    *us *= factor;
  for (auto& [axis, us] : times.exposed_us) us *= factor;
  return times;
}

std::optional<StepTimes> step_times_of(std::string_view jsonl) try {
  std::vector<StepTimes> steps;
  bool ended = false;
  for (const auto line : lines_of(jsonl)) {
    const auto object = object_of(line);
    const auto kind = object.is_null() ? std::string() : object.value("kind", "");
    if (kind == "step") steps.push_back(times_of_step(object));
    if (kind == "end") ended = object.value("exit_code", 1) == 0;
  }
  if (!ended || steps.empty()) return std::nullopt;
  const auto counted = std::span(steps).subspan(steps.size() > 2 * kWarmUp ? kWarmUp : 0);
  StepTimes times;
  std::vector<double> step_us;
  for (const auto& step : counted) {
    add(times, step);
    step_us.push_back(step.step_us);
  }
  if (!(times.step_us > 0 && times.tokens > 0)) return std::nullopt;
  const double sum_us = times.step_us;
  return scaled(std::move(times), stats::median(std::move(step_us)) / sum_us);
} catch (const Json::exception&) {
  return std::nullopt;
}

Json pipeline_step_of(std::string_view jsonl) try {
  for (const auto line : lines_of(jsonl)) {
    const auto object = object_of(line);
    if (object.is_null() || object.value("kind", "") != "end") continue;
    auto step = object.value("pipeline_step", Json());
    return is_pipeline_step(step) ? std::move(step) : Json();
  }
  return {};
} catch (const Json::exception&) {
  return {};
}

std::string line_of(const RunResult& result) {
  Json json{{"kind", "scale"},
            {"schema", kSchema},
            {"layout", result.layout},
            {"nranks", result.nranks},
            {"batch", result.batch},
            {"control", result.control},
            {"repeat", result.repeat},
            {"command", result.command},
            {"outcome", name_of(result.outcome)},
            {"exit_code", result.exit_code},
            {"elapsed_s", rounded(result.elapsed_s)},
            {"start_time", result.start_time},
            {"hostname", result.hostname},
            {"version", result.version},
            {"load_1min", rounded(result.load_1min)}};
  if (!result.reason.empty()) json["reason"] = result.reason;
  if (result.outcome == Outcome::ok) json["times"] = json_of(result.times);
  if (!result.pipeline_step.is_null()) json["pipeline_step"] = result.pipeline_step;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

Result<std::vector<RunResult>> read_results(std::string_view jsonl) {
  std::vector<RunResult> results;
  const auto whole =
      jsonl.substr(0, jsonl.rfind('\n') == std::string_view::npos ? 0 : jsonl.rfind('\n') + 1);
  std::size_t number = 0;
  for (const auto line : lines_of(whole)) {
    ++number;
    const auto object = object_of(line);
    try {
      if (object.is_null() || object.value("kind", "") != "scale" ||
          object.value("schema", 0) != kSchema)
        throw std::out_of_range("kind");
      results.push_back(result_of(object));
    } catch (const std::exception&) {
      return Failure{
          fmt::format(", line {}, is no run of linerate scale: name another folder.", number)};
    }
  }
  return results;
}

}  // namespace linerate::scale
