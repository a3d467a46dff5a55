#include "plan/costs.h"

#include "model/training_bytes.h"
#include "trainers/model/tensor_parallel.h"

#include <algorithm>

namespace linerate::plan {

using trainers::ContextMethod;
using trainers::Recompute;
using trainers::Stage;
using trainers::TrainConfig;

namespace {

// A chunk's place and what its calls carry.
class Chunk {
 public:
  explicit Chunk(const CostOf& of)
      : of_(of),
        position_(position_of(of.config, 0, of.machine.nranks)),
        groups_(of.config, of.machine.nranks),
        share_(local_share()),
        sequences_(micro_batches_of(of.config, position_.batch_nranks()).size) {}

  ChunkCost cost() const;

 private:
  const TrainConfig& config() const { return of_.config; }
  std::size_t chunks() const { return config().pp * config().virtual_stages; }
  bool embeds() const { return of_.chunk == 0; }
  bool heads() const { return of_.chunk + 1 == chunks(); }
  double layers() const { return static_cast<double>(config().model.layers / chunks()); }
  double element() const { return static_cast<double>(bytes_of(config().type)); }
  double rows() const { return static_cast<double>(sequences_ * share_.length); }
  double call(CallKind kind, CallGroup group, double bytes) const {
    return group.size > 1 ? work_us(of_.machine, kind, group, bytes) : 0;
  }
  trainers::ModelConfig local_share() const;
  UnitWork work() const;
  void add_tensor(ChunkCost& cost) const;
  void add_context(const UnitWork& block, ChunkCost& cost) const;
  void add_state(ChunkCost& cost) const;
  double unit_us(CallKind kind, std::uint64_t elements) const {
    return call(kind, groups_.shard, static_cast<double>(elements) * element());
  }

  const CostOf& of_;
  const trainers::Position position_;
  const LayoutGroups groups_;
  const trainers::ModelConfig share_;
  const std::size_t sequences_;
};

trainers::ModelConfig Chunk::local_share() const {
  auto share = model_of_share(config().model, position_.tensor);
  share.length = position_.sequence.split.local_length();
  return share;
}

void add(const Kernels& kernels, double times, Kernels& to) {
  for (auto one : kernels) {
    one.times *= times;
    to.push_back(one);
  }
}

void add(const UnitWork& unit, double times, UnitWork& to) {
  add(unit.forward, times, to.forward);
  add(unit.backward_input, times, to.backward_input);
  add(unit.backward_weight, times, to.backward_weight);
}

UnitWork Chunk::work() const {
  const WorkShape shape{.share = share_,
                        .sequences = sequences_,
                        .row_parts = position_.tensor.row_parts(),
                        .recompute = config().recompute,
                        .split = position_.sequence.split,
                        .exchanges_heads = config().cp_method == ContextMethod::ulysses};
  UnitWork all;
  add(block_work(shape), layers(), all);
  if (embeds()) add(embedding_work(shape), 1, all);
  if (heads()) add(head_work(shape), 1, all);
  return all;
}

// As model/tensor_parallel.h counts them: a block's sums and gathers, those of both ends.
void Chunk::add_tensor(ChunkCost& cost) const {
  if (config().tp == 1) return;
  const double bytes = rows() * static_cast<double>(config().model.hidden) * element();
  const bool splits = position_.tensor.splits_rows;
  const double again = config().recompute == Recompute::full ? 1 : 0;
  const double sum =
      call(splits ? CallKind::reduce_scatter : CallKind::all_reduce, groups_.tp, bytes);
  const double gather = splits ? call(CallKind::all_gather, groups_.tp, bytes) : 0;
  const double embedding = embeds() ? 1 : 0, head = heads() ? 1 : 0;
  const auto scalars = [&](double of) {
    return call(CallKind::all_reduce, groups_.tp, of * sizeof(double) * rows());
  };
  cost.forward.tp_us = (2 * layers() + embedding) * sum + (2 * layers() + head) * gather;
  cost.backward_input.tp_us = ((2 + again) * layers() + head) * sum +
                              ((4 + 2 * again) * layers() + embedding) * gather +
                              head * (scalars(1) + scalars(2));
  if (groups_.copies.size > 1)
    cost.backward_input.tp_us +=
        layers() * call(CallKind::all_reduce, groups_.copies,
                        2 * rows() * static_cast<double>(share_.kv_hidden()) * element());
}

// A ring's messages go on beside attention to what came before; an exchange of heads does not.
void Chunk::add_context(const UnitWork& block, ChunkCost& cost) const {
  const auto& split = position_.sequence.split;
  if (split.ranks == 1) return;
  const bool exchanges = config().cp_method == ContextMethod::ulysses;
  const auto bytes = context_bytes({.split = split,
                                    .exchanges_heads = exchanges,
                                    .batch = sequences_,
                                    .heads = share_.heads,
                                    .kv_heads = share_.kv_heads,
                                    .head = share_.head(),
                                    .element = static_cast<std::size_t>(bytes_of(config().type))},
                                   position_.sequence.rank);
  const double ranks = static_cast<double>(split.ranks);
  const double again = config().recompute == Recompute::none ? 0 : 1;
  const auto attention_us = [&](KernelKind kind, const Kernels& kernels) {
    Kernels own;
    for (const auto& one : kernels)
      if (one.kernel.kind == kind) own.push_back(one);
    return of_.machine.compute->us(own) / layers();
  };
  const auto once = [&](double sent, double beside_us) {
    if (exchanges)
      return 2 * call(CallKind::all_to_all, groups_.cp, sent / 2 * ranks / (ranks - 1));
    const double step = call(CallKind::message, groups_.cp, sent / (ranks - 1));
    return exposed_us(of_.machine, (ranks - 1) * step, beside_us * (ranks - 1) / ranks, 0);
  };
  const double forward =
      once(static_cast<double>(bytes.forward), attention_us(KernelKind::attention, block.forward));
  const double backward = once(static_cast<double>(bytes.backward),
                               attention_us(KernelKind::attention_backward, block.backward_input));
  cost.forward.cp_us = layers() * forward;
  cost.backward_input.cp_us = layers() * (backward + again * forward);
}

// Stages 2 and 3: what is gathered and reduced of each micro-batch, beside its compute.
void Chunk::add_state(ChunkCost& cost) const {
  if (groups_.shard.size == 1 || config().stage < Stage::gradients) return;
  double gather = 0, ends = 0, reduce = 0, first = 0;
  const auto& units = of_.state.units;
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    const double us = unit_us(CallKind::all_gather, units[unit]);
    gather += us;
    if (config().pp == 1 && (unit == 0 || unit + 1 == units.size())) ends += us;
    if (unit == 0) first = us;
  }
  for (const auto bucket : of_.state.buckets) reduce += unit_us(CallKind::reduce_scatter, bucket);
  const double last_bucket =
      of_.state.buckets.empty() ? 0 : unit_us(CallKind::reduce_scatter, of_.state.buckets.back());
  const bool gathers = config().stage == Stage::parameters;
  const auto set = [&](PassCost& pass, double us, double beside_us, double least_us) {
    pass.dp_us = exposed_us(of_.machine, us, beside_us, least_us);
    pass.hidden_us = us - pass.dp_us;
  };
  if (gathers) set(cost.forward, gather, cost.forward.total_us(), first);
  const double beside = cost.backward_input.total_us() + cost.backward_weight.total_us();
  set(cost.backward_input, (gathers ? gather - ends : 0) + reduce, beside, last_bucket);
}

ChunkCost Chunk::cost() const {
  const auto all = work();
  ChunkCost cost;
  cost.forward.compute_us = of_.machine.compute->us(all.forward);
  cost.backward_input.compute_us = of_.machine.compute->us(all.backward_input);
  cost.backward_weight.compute_us = of_.machine.compute->us(all.backward_weight);
  add_tensor(cost);
  add_context(all, cost);
  add_state(cost);
  return cost;
}

}  // namespace

LayoutGroups::LayoutGroups(const TrainConfig& config, int nranks)
    : tp{static_cast<int>(config.tp), 1},
      cp{static_cast<int>(config.cp), tp.size},
      data{nranks / tp.size / static_cast<int>(config.pp), tp.size},
      shard(config.stage != Stage::none && config.shard_size > 0
                ? CallGroup{config.shard_size, tp.size}
                : data),
      replica{data.size / shard.size, tp.size * shard.size},
      next_stage{2, nranks / static_cast<int>(config.pp)} {
  const trainers::TensorShare share{.leaves = config.tp, .nranks = config.tp};
  copies = {static_cast<int>(share.copies(config.model.kv_heads)), 1};
}

ChunkCost chunk_cost(const CostOf& of) { return Chunk(of).cost(); }

double work_us(const Machine& machine, CallKind call, CallGroup group, double bytes) {
  return bytes > 0 ? machine.links->us(call, group, bytes) * machine.share() : 0;
}

double exposed_us(const Machine& machine, double call_us, double beside_us, double first_us) {
  const double ideal = std::max(std::min(first_us, call_us), call_us - beside_us);
  return call_us - machine.hidden_share() * (call_us - ideal);
}

double message_us(const Machine& machine, const TrainConfig& config) {
  if (config.pp == 1) return 0;
  const LayoutGroups groups(config, machine.nranks);
  const auto position = position_of(config, 0, machine.nranks);
  const auto rows = micro_batches_of(config, position.batch_nranks()).size * config.model.length /
                    config.cp / position.tensor.row_parts();
  return machine.links->us(CallKind::message, groups.next_stage,
                           static_cast<double>(rows * config.model.hidden *
                                               static_cast<std::size_t>(bytes_of(config.type))));
}

}  // namespace linerate::plan
