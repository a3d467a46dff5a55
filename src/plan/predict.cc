#include "plan/predict.h"

#include "plan/costs.h"
#include "trainers/pipeline/simulate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

namespace linerate::plan {

using trainers::Action;
using trainers::Stage;
using trainers::TrainConfig;

namespace {

// Which end of the model the chunk is at: chunks in between are alike.
std::size_t representative(std::size_t chunk, std::size_t count) {
  if (chunk == 0 || chunk + 1 == count) return chunk;
  return 1;
}

int stage_of_chunk(const TrainConfig& config, std::size_t chunk) {
  return static_cast<int>(chunk % config.pp);
}

trainers::ChunkTimes times_of(const ChunkCost& cost, double message_us) {
  return {.forward_us = cost.forward.work_us(),
          .backward_input_us = cost.backward_input.work_us(),
          .backward_weight_us = cost.backward_weight.work_us(),
          .message_us = message_us,
          .forward_wait_us = cost.forward.calls().network_us,
          .backward_input_wait_us = cost.backward_input.calls().network_us,
          .backward_weight_wait_us = cost.backward_weight.calls().network_us};
}

// Of a stage in a step, on a processor of its own.
PassCost work_of(const std::vector<ChunkCost>& costs, const TrainConfig& config, int stage,
                 double rounds) {
  PassCost all;
  for (std::size_t v = 0; v < config.virtual_stages; ++v) {
    const auto& cost = costs[v * config.pp + static_cast<std::size_t>(stage)];
    for (const auto* pass : {&cost.forward, &cost.backward_input, &cost.backward_weight}) {
      all.compute_us += rounds * pass->compute_us;
      all.tp += rounds * pass->tp;
      all.cp += rounds * pass->cp;
      all.dp += rounds * pass->dp;
    }
  }
  return all;
}

struct Reduction {
  double at_us = 0, takes_us = 0;
};

// Of whole gradients: buckets are complete at even distances, by elements, while the last backward
// of their chunk goes on.
std::vector<Reduction> reductions_of(const std::vector<trainers::OperationSpan>& backwards,
                                     const std::vector<ChunkState>& chunks,
                                     const std::function<double(std::uint64_t)>& reduce_us) {
  std::vector<Reduction> all;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    double elements = 0, done = 0;
    for (const auto bucket : chunks[i].buckets) elements += static_cast<double>(bucket);
    for (const auto bucket : chunks[i].buckets) {
      done += static_cast<double>(bucket);
      const double length = backwards[i].end_us - backwards[i].start_us;
      all.push_back({backwards[i].start_us + done / elements * length, reduce_us(bucket)});
    }
  }
  std::ranges::stable_sort(all, {}, &Reduction::at_us);
  return all;
}

// Each stage's reductions, one after the other, while stages share the network.
class SharedReductions {
 public:
  SharedReductions(std::vector<std::vector<Reduction>> stages, const trainers::SharedBy& shared)
      : stages_(std::move(stages)),
        shared_(shared),
        next_(stages_.size()),
        ends_us_(next_.size()) {}

  // When the last one of each ends.
  std::vector<double> ends_us() {
    while (advance()) {
    }
    return ends_us_;
  }

 private:
  bool is_left(std::size_t stage) const { return next_[stage] < stages_[stage].size(); }
  Reduction& first(std::size_t stage) { return stages_[stage][next_[stage]]; }
  bool has_begun(std::size_t stage) { return is_left(stage) && first(stage).at_us <= now_us_; }

  // To the next begin or end of any; false: none is left.
  bool advance() {
    double active = 0, step_us = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < stages_.size(); ++i) active += has_begun(i) ? 1 : 0;
    const double rate = shared_.network_rate(active, static_cast<double>(stages_.size()));
    for (std::size_t i = 0; i < stages_.size(); ++i)
      if (is_left(i))
        step_us =
            std::min(step_us, has_begun(i) ? first(i).takes_us / rate : first(i).at_us - now_us_);
    if (std::isinf(step_us)) return false;
    std::vector<std::size_t> under_way;
    for (std::size_t i = 0; i < stages_.size(); ++i)
      if (has_begun(i)) under_way.push_back(i);
    now_us_ += step_us;
    for (const auto i : under_way) {
      first(i).takes_us -= step_us * rate;
      if (first(i).takes_us > kNoTimeUs) continue;
      ends_us_[i] = now_us_;
      ++next_[i];
    }
    return true;
  }

  static constexpr double kNoTimeUs = 1e-9;  // rounding

  std::vector<std::vector<Reduction>> stages_;
  const trainers::SharedBy shared_;
  std::vector<std::size_t> next_;
  std::vector<double> ends_us_;
  double now_us_ = 0;
};

// With a network the stages that have ranks on a node share its links.
trainers::SharedBy shared_by_stages(const TrainConfig& config, const Machine& machine) {
  const double nstages = static_cast<double>(config.pp);
  trainers::SharedBy shared{.processors = machine.processors / machine.nranks * nstages};
  if (machine.node_ranks == 0) return shared;
  const double stages_on_node =
      static_cast<double>(machine.node_ranks) / LayoutGroups(config, machine.nranks).stages.stride;
  shared.network = std::clamp(stages_on_node, 1.0, nstages);
  return shared;
}

struct Simulated {
  double step_us = 0;
  std::vector<StageTimeline> stages{};
};

Simulated simulated_once(const TrainConfig& config, const Machine& machine,
                         const std::vector<ChunkCost>& costs) {
  std::vector<double> messages_us;
  for (int stage = 0; stage < static_cast<int>(config.pp); ++stage)
    messages_us.push_back(message_us(machine, config, stage));
  std::vector<trainers::ChunkTimes> times;
  for (const auto& cost : costs)
    times.push_back(times_of(cost, messages_us[times.size() % config.pp]));
  const auto schedule = schedule_of(config, position_at(config, 0, machine.nranks));
  const auto all = simulated_sharing(schedule, times, shared_by_stages(config, machine));
  Simulated result{.step_us = all.step_us};
  for (std::size_t stage = 0; stage < all.stages.size(); ++stage) {
    StageTimeline time{.busy_us = all.stages[stage].busy_us, .wait_us = all.stages[stage].wait_us};
    time.last.resize(config.virtual_stages);
    for (std::size_t i = 0; i < schedule.stages[stage].size(); ++i) {
      const auto& operation = schedule.stages[stage][i];
      const auto& span = all.stages[stage].operations[i];
      if (!is_computation(operation.action)) continue;
      time.end_us = std::max(time.end_us, span.end_us);
      if (operation.action == Action::backward || operation.action == Action::backward_weight)
        time.last[static_cast<std::size_t>(operation.chunk)] = {span.start_us, span.end_us};
    }
    result.stages.push_back(std::move(time));
  }
  return result;
}

double extrapolated(double before, double after, double times) {
  return after + (after - before) * times;
}

// A step of many micro-batches from two shorter ones: each further micro-batch adds as much.
Simulated simulated_step(const TrainConfig& config, const Machine& machine,
                         const std::vector<ChunkCost>& costs) {
  const auto rounds = rounds_of(config, position_at(config, 0, machine.nranks));
  const auto steady = steady_rounds(config);
  if (rounds <= 3 * steady) return simulated_once(config, machine, costs);
  const auto before = simulated_once(shortened(config, machine.nranks, steady), machine, costs);
  auto all = simulated_once(shortened(config, machine.nranks, 2 * steady), machine, costs);
  const double times = static_cast<double>(rounds - 2 * steady) / static_cast<double>(steady);
  all.step_us = extrapolated(before.step_us, all.step_us, times);
  for (std::size_t i = 0; i < all.stages.size(); ++i) {
    auto& stage = all.stages[i];
    const double later_us = (stage.end_us - before.stages[i].end_us) * times;
    stage.end_us += later_us;
    for (auto& one : stage.last) {
      one.start_us += later_us;
      one.end_us += later_us;
    }
    stage.busy_us = extrapolated(before.stages[i].busy_us, stage.busy_us, times);
    stage.wait_us = extrapolated(before.stages[i].wait_us, stage.wait_us, times);
  }
  return all;
}

}  // namespace

std::vector<ChunkCost> Predictor::costs_of(const TrainConfig& config) {
  const auto count = config.pp * config.virtual_stages;
  std::vector<ChunkCost> costs;
  for (std::size_t chunk = 0; chunk < count; ++chunk) {
    const auto alike = representative(chunk, count);
    if (alike < chunk && chunk + 1 < count) {
      costs.push_back(costs[alike]);
      continue;
    }
    const auto& state = memory_.state(config, stage_of_chunk(config, chunk));
    costs.push_back(chunk_cost({.machine = machine_,
                                .config = config,
                                .chunk = chunk,
                                .state = state.chunks[chunk / config.pp]}));
  }
  return costs;
}

CallTime Predictor::call(CallKind call, CallGroup group, double bytes) const {
  return call_time(machine_, call, group, bytes);
}

double Predictor::optimizer_us(const TrainConfig& config, int stage) {
  const auto work = optimizer_work(memory_.state(config, stage).owned);
  const LayoutGroups groups(config, machine_.nranks);
  constexpr double kScalar = 8;
  CallTime scalars = call(CallKind::all_reduce, groups.data, kScalar);  // losses
  if (config.stage != Stage::none) scalars += call(CallKind::all_reduce, groups.shard, kScalar);
  scalars += call(CallKind::all_reduce, groups.tp, kScalar);
  scalars += 2 * call(CallKind::all_reduce, groups.stages, kScalar);
  return machine_.compute->us(work) / machine_.share() + elapsed_us(machine_, scalars);
}

double Predictor::least_us(const TrainConfig& config) {
  const auto costs = costs_of(config);
  const auto rounds =
      static_cast<double>(rounds_of(config, position_at(config, 0, machine_.nranks)));
  const auto kind = std::ranges::find(trainers::schedule_kinds(), config.pp_schedule,
                                      &trainers::ScheduleKind::name);
  const bool splits = kind->inputs_ahead != nullptr;  // weights' gradients fill the last wait
  const double shortest = 1 / shared_by_stages(config, machine_).network;  // wait, of its time
  const auto least = [&](const PassCost& pass) {
    return pass.work_us() + shortest * pass.calls().network_us;
  };
  double ramp_us = 0, most_us = 0, all_us = 0;
  for (std::size_t stage = 0; stage < config.pp; ++stage) {
    const auto work = work_of(costs, config, static_cast<int>(stage), rounds);
    most_us = std::max(most_us, ramp_us + least(work));
    all_us += work.work_us();
    const auto& first = costs[stage];
    ramp_us += least(first.forward);
    if (!splits) ramp_us += least(first.backward_input) + least(first.backward_weight);
  }
  const double ranks = machine_.nranks / static_cast<double>(config.pp);
  const double shared_us = all_us * ranks / machine_.processors;
  // Without a pipeline nobody computes while the network is waited for.
  const double waited_us = config.pp == 1 ? most_us - all_us : 0;
  return std::max(most_us, shared_us + waited_us) + optimizer_us(config, 0);
}

// Whole gradients are reduced once a step; of a hybrid's shards the replicas' sums.
CallTime Predictor::reduction(const TrainConfig& config, std::uint64_t elements) const {
  const LayoutGroups groups(config, machine_.nranks);
  const double element = static_cast<double>(bytes_of(config.type));
  const double bytes = static_cast<double>(elements) * element;
  if (config.stage == Stage::none) return call(CallKind::all_reduce, groups.data, bytes);
  const auto of_replicas = call(CallKind::all_reduce, groups.replica, bytes / groups.shard.size);
  if (config.stage >= Stage::gradients) return of_replicas;
  return call(CallKind::reduce_scatter, groups.shard, bytes) + of_replicas;
}

// Stages 1 and 2: parameters after the optimizer's step.
double Predictor::gather_us(const TrainConfig& config, const StageState& state) const {
  if (config.stage != Stage::optimizer && config.stage != Stage::gradients) return 0;
  const LayoutGroups groups(config, machine_.nranks);
  CallTime sum;
  for (const auto& chunk : state.chunks)
    for (const auto bucket : chunk.buckets)
      sum += call(CallKind::all_gather, groups.shard,
                  static_cast<double>(bucket) * static_cast<double>(bytes_of(config.type)));
  return elapsed_us(machine_, sum);
}

// The stage's own part of the step. What of its calls needs a processor costs compute as much.
Prediction Predictor::of_stage(const TrainConfig& config, int stage, const PassCost& cost,
                               const StageTimeline& time) {
  const auto& state = memory_.state(config, stage);
  CallTime reductions;
  for (const auto& chunk : state.chunks)
    for (const auto bucket : chunk.buckets) reductions += reduction(config, bucket);
  const double all_us = elapsed_us(machine_, reductions);
  const double late_us = std::clamp(time.reduced_us - time.end_us, 0.0, all_us);
  const double work_share = all_us > 0 ? 1 - reductions.network_us / all_us : 0;
  const double exposed_us =
      late_us + (1 - machine_.hidden_share()) * work_share * (all_us - late_us);

  const double work_us = cost.work_us(), network_us = cost.calls().network_us;
  const double slower = work_us > 0 ? (time.busy_us - time.wait_us) / work_us : 1;
  const double shorter = network_us > 0 ? time.wait_us / network_us : 1;
  const auto took_us = [&](const CallTime& calls) {
    return slower * calls.work_us + shorter * calls.network_us;
  };
  Prediction one{.parts = {.compute_us = slower * cost.compute_us,
                           .tp_us = took_us(cost.tp),
                           .cp_us = took_us(cost.cp),
                           .dp_us = took_us(cost.dp) + exposed_us + gather_us(config, state),
                           .bubble_us = time.end_us - time.busy_us,
                           .optimizer_us = optimizer_us(config, stage)},
                 .hidden_dp_us = all_us - exposed_us};
  one.step_us = one.parts.total_us();
  return one;
}

void Predictor::reduce(const TrainConfig& config, std::vector<StageTimeline>& stages) {
  const auto reduce_us = [&](std::uint64_t elements) {
    return elapsed_us(machine_, reduction(config, elements));
  };
  std::vector<std::vector<Reduction>> all;
  for (std::size_t stage = 0; stage < stages.size(); ++stage)
    all.push_back(reductions_of(stages[stage].last,
                                memory_.state(config, static_cast<int>(stage)).chunks, reduce_us));
  SharedReductions shared(std::move(all), shared_by_stages(config, machine_));
  const auto ends_us = shared.ends_us();
  for (std::size_t stage = 0; stage < stages.size(); ++stage)
    stages[stage].reduced_us = ends_us[stage];
}

Prediction Predictor::predict(const TrainConfig& config) {
  const auto costs = costs_of(config);
  auto step = simulated_step(config, machine_, costs);
  reduce(config, step.stages);
  const auto rounds =
      static_cast<double>(rounds_of(config, position_at(config, 0, machine_.nranks)));
  Prediction slowest;
  for (int stage = 0; stage < static_cast<int>(config.pp); ++stage) {
    const auto one = of_stage(config, stage, work_of(costs, config, stage, rounds),
                              step.stages[static_cast<std::size_t>(stage)]);
    if (one.step_us > slowest.step_us) slowest = one;
  }
  // The norm is that of all stages: each waits for the last one.
  const double rest_us = step.step_us + slowest.parts.optimizer_us - slowest.step_us;
  if (rest_us > 0) {
    slowest.parts.bubble_us += rest_us;
    slowest.step_us += rest_us;
  }
  return slowest;
}

std::string_view binding_of(const StepParts& parts) {
  struct Row {
    std::string_view name;
    double us;
  };
  const std::array rows{Row{"tp comm", parts.tp_us}, Row{"cp comm", parts.cp_us},
                        Row{"dp comm", parts.dp_us}, Row{"bubble", parts.bubble_us},
                        Row{"optimizer", parts.optimizer_us}};
  if (parts.compute_us >= kBindingShare * parts.total_us()) return "compute";
  return std::ranges::max_element(rows, {}, &Row::us)->name;
}

}  // namespace linerate::plan
