#include "plan/costs.h"

#include "model/training_bytes.h"
#include "trainers/model/tensor_parallel.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

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
        position_(position_at(of.config, 0, of.machine.nranks)),
        groups_(of.config, of.machine.nranks),
        share_(local_share()),
        sequences_(micro_batches_of(of.config, position_.batch_nranks()).size) {}

  ChunkCost cost() const;

 private:
  const TrainConfig& config() const { return of_.config; }
  std::size_t chunks() const { return config().pp * config().virtual_stages; }
  bool embeds() const { return of_.chunk == 0; }
  bool heads() const { return of_.chunk + 1 == chunks(); }
  double layers() const {
    const auto layers = config().model.layers / chunks();
    return static_cast<double>(layers);
  }
  double element() const { return static_cast<double>(bytes_of(config().type)); }
  double rows() const { return static_cast<double>(sequences_ * share_.length); }
  CallTime call(CallKind kind, CallGroup group, double bytes) const {
    return call_time(of_.machine, kind, group, bytes);
  }
  trainers::ModelConfig local_share() const;
  UnitWork work() const;
  void add_tensor(ChunkCost& cost) const;
  void add_context(const UnitWork& block, ChunkCost& cost) const;
  void add_state(ChunkCost& cost) const;
  CallTime unit_call(CallKind kind, std::uint64_t elements) const {
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
  const CallTime sum =
      call(splits ? CallKind::reduce_scatter : CallKind::all_reduce, groups_.tp, bytes);
  const CallTime gather = splits ? call(CallKind::all_gather, groups_.tp, bytes) : CallTime();
  const double embedding = embeds() ? 1 : 0, head = heads() ? 1 : 0;
  const auto scalars = [&](double of) {
    return call(CallKind::all_reduce, groups_.tp, of * sizeof(double) * rows());
  };
  cost.forward.tp = (2 * layers() + embedding) * sum + (2 * layers() + head) * gather;
  cost.backward_input.tp = ((2 + again) * layers() + head) * sum +
                           ((4 + 2 * again) * layers() + embedding) * gather +
                           head * (scalars(1) + scalars(2));
  if (groups_.copies.size > 1)
    cost.backward_input.tp +=
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
    return of_.machine.compute->us(own) / layers() / of_.machine.share();
  };
  const auto once = [&](double sent, double beside_us) {
    if (exchanges)
      return 2 * call(CallKind::all_to_all, groups_.cp, sent / 2 * ranks / (ranks - 1));
    const auto step = call(CallKind::message, groups_.cp, sent / (ranks - 1));
    return exposed(of_.machine, (ranks - 1) * step, beside_us * (ranks - 1) / ranks, {});
  };
  const CallTime forward =
      once(static_cast<double>(bytes.forward), attention_us(KernelKind::attention, block.forward));
  const CallTime backward =
      once(static_cast<double>(bytes.backward),
           attention_us(KernelKind::attention_backward, block.backward_input));
  cost.forward.cp = layers() * forward;
  cost.backward_input.cp = layers() * (backward + again * forward);
}

// Stages 2 and 3: what is gathered and reduced of each micro-batch, beside its compute.
void Chunk::add_state(ChunkCost& cost) const {
  if (groups_.shard.size == 1 || config().stage < Stage::gradients) return;
  CallTime gather, inner, reduce, first, last;
  const auto& units = of_.state.units;
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    const auto one = unit_call(CallKind::all_gather, units[unit]);
    const bool is_end = unit == 0 || unit + 1 == units.size();
    gather += one;
    if (config().pp > 1 || !is_end) inner += one;  // the others are still there
    if (unit == 0) first = one;
  }
  for (const auto bucket : of_.state.buckets)
    reduce += last = unit_call(CallKind::reduce_scatter, bucket);
  const bool gathers = config().stage == Stage::parameters;
  const auto pass_us = [&](const PassCost& pass) {
    return elapsed_us(of_.machine, {pass.work_us(), pass.calls().network_us});
  };
  if (gathers) cost.forward.dp = exposed(of_.machine, gather, pass_us(cost.forward), first);
  const double beside_us = pass_us(cost.backward_input) + pass_us(cost.backward_weight);
  cost.backward_input.dp = exposed(of_.machine, gathers ? inner + reduce : reduce, beside_us, last);
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

// The ranks along both axes, of which those along the one that counts faster are a run.
CallGroup joined(CallGroup one, CallGroup other) {
  if (one.size == 1) return other;
  if (other.size == 1) return one;
  if (other.stride < one.stride) std::swap(one, other);
  const int size = one.size * other.size;
  if (other.stride == one.stride * one.size) return {size, one.stride};
  return {size, one.stride, one.size, other.stride};
}

// Data-parallel ranks, those of the same sequences neighbours, as shards and their replicas.
std::pair<CallGroup, CallGroup> cut(CallGroup sequences, CallGroup batches, int shard_size) {
  const auto part = [](CallGroup axis, int size) { return CallGroup{size, axis.stride}; };
  const auto rest = [](CallGroup axis, int size) {
    return CallGroup{axis.size / size, axis.stride * size};
  };
  if (shard_size < sequences.size)
    return {part(sequences, shard_size), joined(rest(sequences, shard_size), batches)};
  const int of_batches = shard_size / sequences.size;
  return {joined(sequences, part(batches, of_batches)), rest(batches, of_batches)};
}

// Whether any of the stage's ranks is on another node than the next one's.
bool crosses_nodes(const Machine& machine, CallGroup stages, int stage) {
  if (machine.node_ranks == 0) return false;
  const int next = (stage + 1) % stages.size;
  for (int rank = 0; rank < machine.nranks; ++rank)
    if (rank / stages.stride % stages.size == stage &&
        rank / machine.node_ranks != (rank + (next - stage) * stages.stride) / machine.node_ranks)
      return true;
  return false;
}

}  // namespace

LayoutGroups::LayoutGroups(const TrainConfig& config, int nranks) {
  const auto shape = mesh_shape_of(config, nranks);
  const auto order = *trainers::parse_order(config.order.axes);
  std::array<CallGroup, trainers::kMeshAxes.size()> axes;
  int stride = 1;
  for (const auto axis : order) {
    axes[axis] = {static_cast<int>(shape[axis]), stride};
    stride *= axes[axis].size;
  }
  const auto [sequences, batches] = std::pair(axes[1], axes[2]);
  tp = axes[0];
  cp = sequences;
  stages = axes[3];
  data = joined(sequences, batches);
  std::tie(shard, replica) = std::pair(data, CallGroup{});
  if (config.stage != Stage::none && config.shard_size > 0)
    std::tie(shard, replica) = cut(sequences, batches, config.shard_size);
  const trainers::TensorShare share{.leaves = config.tp, .nranks = config.tp};
  copies = {static_cast<int>(share.copies(config.model.kv_heads)), tp.stride};
}

ChunkCost chunk_cost(const CostOf& of) { return Chunk(of).cost(); }

// It was measured while all ranks made it, so that the work is that of a rank's share.
CallTime call_time(const Machine& machine, CallKind call, CallGroup group, double bytes) {
  if (group.size < 2 || bytes <= 0) return {};
  const double network_us = machine.links->network_us(call, group, bytes);
  return {(machine.links->us(call, group, bytes) - network_us) * machine.share(), network_us};
}

double elapsed_us(const Machine& machine, const CallTime& call) {
  return call.work_us / machine.share() + call.network_us;
}

CallTime exposed(const Machine& machine, const CallTime& calls, double beside_us,
                 const CallTime& first) {
  const double all_us = elapsed_us(machine, calls);
  if (all_us <= 0) return {};
  const double left_us = std::max(std::min(elapsed_us(machine, first), all_us), all_us - beside_us);
  const double late = left_us / all_us;
  return {calls.work_us * (late + (1 - machine.hidden_share()) * (1 - late)),
          calls.network_us * late};
}

double message_us(const Machine& machine, const TrainConfig& config, int stage) {
  if (config.pp == 1) return 0;
  const LayoutGroups groups(config, machine.nranks);
  const auto position = position_at(config, 0, machine.nranks);
  const auto rows = micro_batches_of(config, position.batch_nranks()).size * config.model.length /
                    config.cp / position.tensor.row_parts();
  auto between = groups.stages;
  if (!crosses_nodes(machine, between, stage)) between.size = 2;
  return machine.links->us(CallKind::message, between,
                           static_cast<double>(rows * config.model.hidden *
                                               static_cast<std::size_t>(bytes_of(config.type))));
}

}  // namespace linerate::plan
