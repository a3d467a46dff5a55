#include "plan/plan_text.h"

#include "base/units.h"
#include "trainers/model/parameters.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate::plan {
namespace {

using Object = nlohmann::ordered_json;

constexpr std::size_t kMostReasons = 6;
constexpr double kFullShare = 0.9;  // of memory, from which it is what binds

std::string machine_line(const Task& task, const Machine& machine) {
  return fmt::format("# {}: {} ranks{}; {} with a batch of {} sequences of {} tokens, {}\n",
                     machine.name, machine.nranks,
                     machine.processors < machine.nranks
                         ? fmt::format(" on {:.0f} cores", machine.processors)
                         : "",
                     task.training.model.name, task.training.batch, task.training.model.length,
                     name_of(machine.type));
}

double tokens_of(const Candidate& candidate) {
  return static_cast<double>(candidate.config.batch * candidate.config.model.length);
}

bool is_full(const Candidate& candidate, const Machine& machine) {
  return machine.memory_bytes > 0 &&
         static_cast<double>(candidate.memory.total()) > kFullShare * machine.memory_bytes;
}

// What binds the step; and whether memory is nearly full, too, which forbids faster layouts.
std::string bound_text(const Candidate& candidate, const Machine& machine) {
  const auto binding = binding_of(candidate.prediction.parts);
  return fmt::format("{}{}", binding, is_full(candidate, machine) ? ", memory" : "");
}

std::string row_text(const Candidate& candidate, const Machine& machine) {
  const auto& [step_us, parts, hidden_us] = candidate.prediction;
  const auto share = [&](double us) { return 100 * us / step_us; };
  return fmt::format(
      "  {:>10.2f} {:>11.0f} {:>6} {:>7.1f} {:>5.1f} {:>5.1f} {:>5.1f} {:>6.1f} {:>9} {:<18} {}\n",
      step_us / 1e3, tokens_of(candidate) / step_us * 1e6,
      machine.peak_flops > 0 ? fmt::format("{:.1f}", 100 * mfu_of(candidate, machine)) : "",
      share(parts.compute_us), share(parts.tp_us), share(parts.cp_us), share(parts.dp_us),
      share(parts.bubble_us), about_bytes_text(candidate.memory.total()),
      bound_text(candidate, machine), options_of(candidate.config));
}

std::string others_text(const Plan& plan, const Machine& machine) {
  auto text = fmt::format("# {} of {} layouts fit", plan.fits, plan.legal);
  if (machine.memory_bytes > 0)
    text += fmt::format(" into {} a rank",
                        about_bytes_text(static_cast<std::size_t>(machine.memory_bytes)));
  text += plan.fits == 0
              ? "\n"
              : fmt::format("; {} were simulated, all others have a bound beyond these\n",
                            plan.simulated);
  for (const auto& candidate : plan.too_large)
    text += fmt::format("# does not fit, of a model cut over {}: {} at least ({})\n",
                        candidate.config.tp * candidate.config.pp,
                        about_bytes_text(candidate.memory.total()), options_of(candidate.config));
  std::vector<std::pair<std::size_t, std::string>> reasons;
  for (const auto& [reason, count] : plan.refused) reasons.emplace_back(count, reason);
  std::ranges::stable_sort(reasons, std::greater{}, &std::pair<std::size_t, std::string>::first);
  for (std::size_t i = 0; i < std::min(reasons.size(), kMostReasons); ++i)
    text += fmt::format("# {} x refused: {}\n", reasons[i].first, reasons[i].second);
  if (reasons.size() > kMostReasons)
    text += fmt::format("# and {} more reasons\n", reasons.size() - kMostReasons);
  return text;
}

using Rows = std::vector<std::pair<std::string_view, double>>;

Rows part_rows(const Prediction& prediction) {
  const auto& parts = prediction.parts;
  return {{"compute", parts.compute_us}, {"tp", parts.tp_us},
          {"cp", parts.cp_us},           {"dp", parts.dp_us},
          {"bubble", parts.bubble_us},   {"optimizer", parts.optimizer_us}};
}

std::vector<std::pair<std::string_view, std::uint64_t>> memory_rows(const MemoryParts& memory) {
  return {{"parameters", memory.parameters},   {"gradients", memory.gradients},
          {"optimizer", memory.optimizer},     {"gathered", memory.gathered},
          {"activations", memory.activations}, {"scratch", memory.scratch}};
}

Object json_of(const Candidate& candidate, const Machine& machine) {
  Object parts, memory;
  for (const auto& [name, us] : part_rows(candidate.prediction)) parts[std::string(name)] = us;
  for (const auto& [name, bytes] : memory_rows(candidate.memory)) memory[std::string(name)] = bytes;
  const auto& config = candidate.config;
  Object json{{"options", options_of(config)},
              {"tp", config.tp},
              {"cp", config.cp},
              {"pp", config.pp},
              {"dp", static_cast<std::size_t>(machine.nranks) / config.tp / config.cp / config.pp},
              {"zero", static_cast<int>(config.stage)},
              {"micro_batch", config.micro_batch},
              {"step_us", candidate.prediction.step_us},
              {"parts_us", parts},
              {"hidden_dp_us", candidate.prediction.hidden_dp_us},
              {"tokens_per_s", tokens_of(candidate) / candidate.prediction.step_us * 1e6},
              {"bound_by", bound_text(candidate, machine)},
              {"memory_bytes", memory}};
  if (machine.peak_flops > 0) json["mfu"] = mfu_of(candidate, machine);
  return json;
}

}  // namespace

double mfu_of(const Candidate& candidate, const Machine& machine) {
  if (machine.peak_flops <= 0) return 0;
  const auto sizes = trainers::decoder_sizes(candidate.config.model);
  const auto flops = model_flops_per_token(sizes, FlopsConvention::palm);
  return utilisation(flops, tokens_of(candidate) / candidate.prediction.step_us * 1e6,
                     machine.peak_flops * machine.nranks);
}

std::string plan_text(const Plan& plan, const Task& task, const Machine& machine) {
  auto text = machine_line(task, machine);
  if (!plan.best.empty())
    text +=
        "#    step ms    tokens/s  MFU % compute  tp %  cp %  dp % bubble    memory bound by"
        "           layout\n";
  for (const auto& candidate : plan.best) text += row_text(candidate, machine);
  return text + others_text(plan, machine);
}

std::string plan_json(const Plan& plan, const Task& task, const Machine& machine) {
  Object best = Object::array(), large = Object::array(), refused = Object::array();
  for (const auto& candidate : plan.best) best.push_back(json_of(candidate, machine));
  for (const auto& candidate : plan.too_large)
    large.push_back(
        {{"options", options_of(candidate.config)}, {"memory_bytes", candidate.memory.total()}});
  for (const auto& [reason, count] : plan.refused)
    refused.push_back({{"reason", reason}, {"count", count}});
  const Object all{{"machine", machine.name},
                   {"nranks", machine.nranks},
                   {"model", task.training.model.name},
                   {"batch", task.training.batch},
                   {"memory_limit_bytes", machine.memory_bytes},
                   {"legal", plan.legal},
                   {"fits", plan.fits},
                   {"simulated", plan.simulated},
                   {"best", best},
                   {"too_large", large},
                   {"refused", refused}};
  return all.dump() + '\n';
}

std::string explanation_text(const Candidate& candidate, const Machine& machine) {
  const auto& prediction = candidate.prediction;
  auto text = fmt::format(
      "# {} on {} ranks of {}: {:.2f} ms a step, bound by {}\n",
      options_of(candidate.config).empty() ? "data-parallel" : options_of(candidate.config),
      machine.nranks, machine.name, prediction.step_us / 1e3, bound_text(candidate, machine));
  for (const auto& [name, us] : part_rows(prediction))
    text += fmt::format("  {:<12} {:>12.3f} ms {:>6.1f} %\n", name, us / 1e3,
                        100 * us / prediction.step_us);
  text += fmt::format("  {:<12} {:>12.3f} ms beside compute\n", "dp hidden",
                      prediction.hidden_dp_us / 1e3);
  for (const auto& [name, bytes] : memory_rows(candidate.memory))
    text += fmt::format("  {:<12} {:>12}\n", name, about_bytes_text(bytes));
  const auto total = candidate.memory.total();
  text += fmt::format("  {:<12} {:>12}", "memory", about_bytes_text(total));
  if (machine.memory_bytes > 0)
    text +=
        fmt::format(" of {}{}", about_bytes_text(static_cast<std::size_t>(machine.memory_bytes)),
                    static_cast<double>(total) > machine.memory_bytes ? ": does not fit" : "");
  return text + '\n';
}

std::string explanation_json(const Candidate& candidate, const Machine& machine) {
  return json_of(candidate, machine).dump() + '\n';
}

}  // namespace linerate::plan
