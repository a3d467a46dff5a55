// Layouts that fit, in the order of a lower bound of their step: once that is beyond the worst of
// the best, no other is simulated.
#include "plan/plan.h"

#include "base/units.h"
#include "plan/layouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace linerate::plan {

using trainers::ContextMethod;
using trainers::Recompute;
using trainers::Stage;
using trainers::TrainConfig;

namespace {

struct Bounded {
  Candidate candidate{};
  double least_us = 0;
};

bool fits(const Candidate& candidate, double memory_bytes) {
  return memory_bytes <= 0 || static_cast<double>(candidate.memory.total()) <= memory_bytes;
}

// The least that is computed again so that the layout fits; what it needs then, or at least.
Candidate fitted(MemoryModel& memory, TrainConfig config, int nranks, double memory_bytes) {
  Candidate candidate;
  for (const auto recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
    config.recompute = recompute;
    if (recompute != Recompute::none && mesh_refusal(config, nranks)) break;
    candidate = {.config = config, .memory = memory.most(config)};
    if (fits(candidate, memory_bytes)) break;
  }
  return candidate;
}

// Of each number of ranks that a model is cut over, what needs least.
void keep_smallest(std::map<std::size_t, Candidate>& smallest, Candidate candidate) {
  const auto cut = candidate.config.tp * candidate.config.pp;
  const auto [found, fresh] = smallest.try_emplace(cut, candidate);
  if (!fresh && candidate.memory.total() < found->second.memory.total())
    found->second = std::move(candidate);
}

// The layout in each order of the mesh that makes a difference.
std::vector<TrainConfig> ordered(TrainConfig config, const Machine& machine) {
  if (machine.node_ranks == 0 || machine.node_ranks >= machine.nranks) return {config};
  std::vector<TrainConfig> all;
  for (auto& order : orders_of(config, machine.nranks)) {
    config.order.axes = std::move(order);
    all.push_back(config);
  }
  return all;
}

// Whether the layout in another order of the mesh takes as long: nothing that matters is elsewhere.
bool has_equal(const std::vector<Candidate>& all, const Candidate& candidate) {
  return std::ranges::any_of(all, [&](const Candidate& other) {
    if (other.prediction.step_us != candidate.prediction.step_us) return false;
    auto config = candidate.config;
    config.order = other.config.order;
    return options_of(config) == options_of(other.config);
  });
}

void sort_best(std::vector<Candidate>& best, std::size_t most) {
  std::ranges::stable_sort(best, {}, [](const Candidate& c) { return c.prediction.step_us; });
  if (best.size() > most) best.resize(most);
}

}  // namespace

std::vector<TrainConfig> fitting_layouts(const Task& task, const Machine& machine) {
  MemoryModel memory(machine.nranks);
  std::vector<TrainConfig> fitting;
  for (const auto& config : layouts_of(task.training, machine.nranks).legal) {
    const auto one = fitted(memory, config, machine.nranks, machine.memory_bytes);
    if (!fits(one, machine.memory_bytes)) continue;
    for (auto& layout : ordered(one.config, machine)) fitting.push_back(std::move(layout));
  }
  return fitting;
}

Plan plan_for(const Task& task, const Machine& machine) {
  Predictor predictor(machine);
  auto layouts = layouts_of(task.training, machine.nranks);
  Plan plan{.legal = layouts.legal.size(), .refused = std::move(layouts.refused)};
  std::vector<Bounded> fitting;
  std::map<std::size_t, Candidate> smallest;
  for (const auto& config : layouts.legal) {
    auto candidate = fitted(predictor.memory(), config, machine.nranks, machine.memory_bytes);
    if (!fits(candidate, machine.memory_bytes)) {
      keep_smallest(smallest, std::move(candidate));
      continue;
    }
    ++plan.fits;
    for (const auto& layout : ordered(candidate.config, machine)) {
      candidate.config = layout;
      fitting.push_back({candidate, predictor.least_us(layout)});
    }
  }
  for (auto& [cut, candidate] : smallest) plan.too_large.push_back(std::move(candidate));
  std::ranges::stable_sort(fitting, {}, &Bounded::least_us);
  for (auto& [candidate, least_us] : fitting) {
    if (plan.best.size() >= task.most && least_us >= plan.best.back().prediction.step_us) break;
    candidate.prediction = predictor.predict(candidate.config);
    ++plan.simulated;
    if (has_equal(plan.best, candidate)) continue;
    plan.best.push_back(std::move(candidate));
    sort_best(plan.best, task.most);
  }
  return plan;
}

Result<TrainConfig> best_layout(const Task& task, const Machine& machine) {
  auto one = task;
  one.most = 1;
  const auto plan = plan_for(one, machine);
  if (!plan.best.empty()) return plan.best.front().config;
  if (plan.too_large.empty())
    return Failure{fmt::format("No layout of {} ranks trains {} with a batch of {}: {}",
                               machine.nranks, task.training.model.name, task.training.batch,
                               plan.refused.empty() ? "" : plan.refused.begin()->first)};
  const auto least = std::ranges::min_element(
      plan.too_large, {}, [](const Candidate& candidate) { return candidate.memory.total(); });
  return Failure{fmt::format(
      "No layout of {} ranks fits: {} needs {} a rank at least ({}), and there are {}.",
      machine.nranks, task.training.model.name, bytes_text(least->memory.total()),
      options_of(least->config), bytes_text(static_cast<std::size_t>(machine.memory_bytes)))};
}

void take_layout(const TrainConfig& layout, TrainConfig& into) {
  into.tp = layout.tp;
  into.sequence_parallel = layout.sequence_parallel;
  into.cp = layout.cp;
  into.cp_method = layout.cp_method;
  into.pp = layout.pp;
  into.pp_schedule = layout.pp_schedule;
  into.virtual_stages = layout.virtual_stages;
  into.stage = layout.stage;
  into.micro_batch = layout.micro_batch;
  into.recompute = layout.recompute;
  if (layout.order.axes != trainers::kUsualOrder) into.order.axes = layout.order.axes;
}

Candidate examined(const TrainConfig& config, const Machine& machine) {
  Predictor predictor(machine);
  return {.config = config,
          .memory = predictor.memory().most(config),
          .prediction = predictor.predict(config)};
}

std::string options_of(const TrainConfig& config) {
  std::string text;
  const auto add = [&](bool given, const std::string& words) {
    if (given) text += (text.empty() ? "" : " ") + words;
  };
  add(config.tp > 1, fmt::format("--tp {}", config.tp));
  add(config.sequence_parallel, "--sequence-parallel");
  add(config.cp > 1, fmt::format("--cp {}", config.cp));
  add(config.cp > 1 && config.cp_method == ContextMethod::ulysses, "--cp-method ulysses");
  add(config.pp > 1, fmt::format("--pp {} --schedule {}", config.pp, config.pp_schedule));
  add(config.virtual_stages > 1, fmt::format("--virtual-stages {}", config.virtual_stages));
  add(config.order.axes != trainers::kUsualOrder, "--order " + config.order.axes);
  add(config.stage != Stage::none, fmt::format("--zero {}", static_cast<int>(config.stage)));
  add(config.shard_size > 0, fmt::format("--shard-size {}", config.shard_size));
  add(config.micro_batch > 0, fmt::format("--micro-batch {}", config.micro_batch));
  add(config.recompute == Recompute::selective, "--recompute selective");
  add(config.recompute == Recompute::full, "--recompute full");
  return text;
}

}  // namespace linerate::plan
