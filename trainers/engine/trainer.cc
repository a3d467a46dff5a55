#include "trainers/engine/trainer.h"

#include "base/error.h"
#include "base/splitmix.h"
#include "trainers/data/sampler.h"
#include "trainers/engine/injected.h"
#include "trainers/optimizer/exact_sum.h"
#include "trainers/optimizer/gradient_scale.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <numeric>
#include <thread>
#include <utility>

namespace linerate::trainers {
namespace {

// Each step has dropout masks of its own.
std::uint64_t dropout_key(std::uint64_t seed, std::int64_t step) {
  return splitmix64(seed) + static_cast<std::uint64_t>(step);
}

WorkTag of_round(Work work, const Round& round, std::size_t unit = 0) {
  return {.work = work,
          .unit = static_cast<std::uint32_t>(unit),
          .micro_batch = static_cast<std::uint32_t>(round.micro_batch)};
}

// The data-parallel ranks along one axis of their mesh.
Communicator& add_axis(RankContext& rank, const Position& position, const Mesh& mesh,
                       std::size_t axis) {
  const auto own = static_cast<std::size_t>(position.data_rank);
  const auto copy = position.tensor.rank * mesh.nranks();  // each tensor share has a mesh
  return rank.add_axis(static_cast<int>(copy + mesh.group(own, axis)),
                       static_cast<int>(mesh.coordinate(own, axis)));
}

bool is_hybrid(const ParameterTable& table) {
  return main_axis(table) == kShardAxis && table.mesh.axes()[kReplicateAxis].size > 1;
}

template <typename T>
double sum_of(std::span<T> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

// A micro-batch on the host and on the device.
struct Trainer::Inputs {
  std::vector<std::int32_t> tokens, targets;
  Block device_tokens, device_targets;
  MicroBatch batch{};
};

Trainer::Trainer(RankContext& rank, const TrainConfig& config, const Source& source, Math& math)
    : rank_(rank),
      config_(config),
      source_(source),
      math_(math),
      position_(position_of(config, rank.rank(), rank.nranks())),
      share_(model_of_share(config.model, position_.tensor)),
      micro_batches_(micro_batches_of(config, position_.data_nranks)),
      table_(table_of(config, position_)),
      compute_(rank.stream()),
      arena_(rank.world()),
      axis_(kAxisNames[main_axis(table_)],
            add_axis(rank, position_, table_.mesh, main_axis(table_))),
      replicas_(is_hybrid(table_)
                    ? std::optional<Axis>(std::in_place, kAxisNames[kReplicateAxis],
                                          add_axis(rank, position_, table_.mesh, kReplicateAxis))
                    : std::nullopt),
      tensor_axis_(config.tp > 1
                       ? std::optional<Axis>(std::in_place, kTensorAxisName,
                                             rank.add_axis(position_.data_rank, rank.rank()))
                       : std::nullopt),
      recorder_(rank, compute_, axes()),
      layout_(flat_layout(table_, table_.mesh.nranks())),
      plan_(plan_of(config, table_, layout_, position_.data_rank)),
      tools_{.axis = axis_,
             .replicas = replicas_ ? &*replicas_ : nullptr,
             .math = math,
             .compute = compute_,
             .arena = arena_,
             .type = config.type},
      gradients_(make_gradients(plan_, tools_)),
      store_(make_parameter_store(plan_, config.gather, tools_)),
      adam_(config, plan_, tools_),
      tensor_(position_.tensor, tensor_axis_ ? &*tensor_axis_ : nullptr, math, arena_),
      model_(share_, table_,
             {.sequences = micro_batches_.size,
              .type = config.type,
              .recompute = config.recompute,
              .cut_classes = !position_.tensor.whole()},
             math, tensor_, arena_),
      inputs_(std::make_unique<Inputs>()),
      loss_scale_(config.loss_scale) {
  const auto positions = micro_batches_.size * config.model.length;
  inputs_->device_tokens = arena_.allocate(Category::activation, DataType::int32, positions);
  inputs_->device_targets = arena_.allocate(Category::activation, DataType::int32, positions);
  adam_.initialise(*store_);
  store_->publish();
}

Trainer::~Trainer() = default;

std::vector<Axis*> Trainer::axes() {
  std::vector<Axis*> axes{&axis_};
  for (auto* axis : {&replicas_, &tensor_axis_})
    if (*axis) axes.push_back(&**axis);
  return axes;
}

// Each rank has consecutive micro-batches, the first ones perhaps one more than the others, which
// take part in the last round without one.
Round Trainer::round_of(std::uint64_t index) const {
  const auto nranks = position_.data_nranks;
  const auto rounds = share_of(micro_batches_.count(), 0, nranks).count;
  const auto mine = share_of(micro_batches_.count(), position_.data_rank, nranks);
  Round round{.first = index == 0,
              .last = index + 1 == rounds,
              .active = index < mine.count || injected(Bug::repeats_a_sequence),
              .micro_batch = mine.first + index -
                             (injected(Bug::repeats_a_sequence) && index == mine.count ? 1 : 0),
              .micro_batches = micro_batches_.count()};
  const bool each = is_sharded(table_.placements.gradients);  // round hands its gradients on
  const auto& mesh = table_.mesh;
  const auto along = main_axis(table_);
  const auto own = static_cast<std::size_t>(position_.data_rank);
  for (std::size_t place = 0; place < mesh.axes()[along].size; ++place) {
    const auto share =
        share_of(micro_batches_.count(), static_cast<int>(mesh.moved(own, along, place)), nranks);
    const auto first = each ? share.first + index : share.first;
    const auto last =
        each ? std::min(first + 1, share.first + share.count) : share.first + share.count;
    round.by_rank.emplace_back(first, std::max(first, last));
  }
  const auto shards = static_cast<int>(mesh.axes()[kShardAxis].size);
  for (int rank = 0; replicas_ && rank < nranks; rank += shards)
    round.by_replica.push_back(
        micro_batches_of_ranks(micro_batches_, {rank, rank + shards}, nranks));
  return round;
}

StepResult Trainer::step() {
  StepResult result{.step = ++step_, .lr = config_.schedule.lr(step_)};
  const auto sent_before = sent_bytes();
  recorder_.begin();
  sleep_where_asked();
  sums_.assign(2 * micro_batches_.count(), 0);
  const auto rounds = share_of(micro_batches_.count(), 0, position_.data_nranks).count;
  for (std::uint64_t index = 0; index < rounds; ++index) run_round(round_of(index));
  gradients_->finish();

  compute_.on({.work = Work::loss}, [&] { result.loss = summed_loss() / counted(); });
  result.accuracy = summed_hits() / counted();
  result.tokens = config_.batch * config_.model.length;
  const double divisor =
      counted() * loss_scale() / (injected(Bug::divides_by_own_tokens) ? rank_.nranks() : 1);
  compute_.on({.work = Work::norm},
              [&] { result.norm = global_norm(gradient_square_sum(), divisor); });
  result.skipped = !std::isfinite(result.norm);
  if (!result.skipped) {
    const auto factor = clip_factor(result.norm, config_.clip);
    compute_.on({.work = Work::optimizer}, [&] {
      adam_.step({.lr = result.lr, .number = ++updates_}, factor / divisor, *gradients_, *store_);
    });
    store_->publish();
  }
  const bool keeps_scale = injected(Bug::scales_on_rank_0_alone) && rank_.rank() > 0;
  if (config_.type == DataType::float16 && !keeps_scale) loss_scale_.update(result.skipped);
  spans_ = recorder_.end();
  result.time = step_time(spans_.step, spans_.waits, spans_.calls);
  if (config_.assert_accounting) check_account(sent_before, result.skipped);
  return result;
}

void Trainer::sleep_where_asked() {
  const auto& slow = config_.slow_rank;
  if (slow.extra_s <= 0 || slow.rank != rank_.rank()) return;
  compute_.on({.work = Work::sleep},
              [&] { std::this_thread::sleep_for(std::chrono::duration<double>(slow.extra_s)); });
}

void Trainer::run_round(const Round& round) {
  gradients_->begin_round(round);
  if (round.active) compute_.on(of_round(Work::data, round), [&] { load(round.micro_batch); });
  forward(round);
  backward(round);
  gradients_->end_round();
  if (!round.active) return;
  compute_.synchronize(Deadline::never());
  sums_[round.micro_batch] = sum_of(model_.losses());
  sums_[micro_batches_.count() + round.micro_batch] = sum_of(model_.hits());
}

void Trainer::load(std::uint64_t micro_batch) {
  auto& in = *inputs_;
  const auto length = config_.model.length;
  const auto sequences = micro_batches_.sequences(micro_batch);
  in.tokens.resize(sequences * length);
  in.targets.resize(sequences * length);
  const Sampler sampler{
      .seed = config_.seed, .sequences = source_.sequences(), .batch = config_.batch};
  for (std::uint64_t i = 0; i < sequences; ++i) {
    const auto sequence = sampler.sequence(static_cast<std::uint64_t>(step_ - 1),
                                           micro_batches_.first(micro_batch) + i);
    source_.read(sequence, std::span(in.tokens).subspan(i * length, length),
                 std::span(in.targets).subspan(i * length, length));
  }
  // Of tokens this rank knows its own; of targets all.
  const auto& vocabulary = table_.parameters[0];
  if (!vocabulary.pieces.empty()) {
    const auto first = static_cast<std::int32_t>(vocabulary.pieces.front().origin);
    const auto count = static_cast<std::int32_t>(share_.vocabulary);
    for (auto& token : in.tokens)
      token = token >= first && token - first < count ? token - first : -1;
  }
  const auto to_device = [&](const std::vector<std::int32_t>& from, const Block& to) {
    const auto bytes = std::as_bytes(std::span(from));
    arena_.device().copy(to.view().first(bytes.size()), bytes, compute_);
    return std::span(reinterpret_cast<const std::int32_t*>(to.data()), from.size());
  };
  in.batch = {.tokens = to_device(in.tokens, in.device_tokens),
              .targets = to_device(in.targets, in.device_targets),
              .sequences = sequences,
              .dropout_key = dropout_key(config_.seed, step_),
              .first_position = injected(Bug::drops_by_own_position)
                                    ? 0
                                    : micro_batches_.first(micro_batch) * length};
  model_.begin(in.batch);
}

// A rank without a micro-batch makes the calls of one that has one, in their order.
void Trainer::forward(const Round& round) {
  const auto units = table_.units();
  for (std::size_t unit = 0; unit < units; ++unit) {
    const auto parameters = store_->use(unit, ParameterStore::Pass::forward);
    if (unit == 0) embeddings_ = parameters;
    if (round.active)
      compute_.on(of_round(Work::forward, round, unit),
                  [&] { model_.forward(unit, parameters, embeddings_, compute_); });
    store_->release(unit, ParameterStore::Pass::forward);
  }
}

void Trainer::backward(const Round& round) {
  for (auto unit = table_.units(); unit-- > 0;) {
    const auto parameters = store_->use(unit, ParameterStore::Pass::backward);
    if (round.active) {
      compute_.on(of_round(Work::backward, round, unit), [&] {
        model_.backward(
            unit, parameters, embeddings_,
            {.own = gradients_->unit(unit), .embeddings = gradients_->unit(0)}, loss_scale(),
            [&](std::size_t parameter) { gradients_->ready(parameter); }, compute_);
      });
    } else {
      for (std::size_t i = 0; i < table_.parameters.size(); ++i)
        if (table_.parameters[i].unit == unit) gradients_->ready(i);
    }
    store_->release(unit, ParameterStore::Pass::backward);
  }
}

SentBytes Trainer::sent_bytes() {
  SentBytes sent;
  for (auto* axis : axes())
    for (const auto& [tag, bytes] : axis->comm().bytes()) sent[tag] += bytes;
  return sent;
}

void Trainer::all_reduce_scalars(Axis& axis, View values, DataType type, std::string_view purpose) {
  if (injected(Bug::norm_of_own_shard) && purpose == "norm") return;
  axis.stream().wait(compute_.record());
  axis.comm().all_reduce({.send = values,
                          .recv = values,
                          .count = values.size() / bytes_of(type),
                          .type = type,
                          .tag = axis.tag(purpose)},
                         {}, axis.stream());
  compute_.wait(axis.stream().record());
}

double Trainer::summed_loss() {
  const View sums = std::as_writable_bytes(std::span(sums_));
  all_reduce_scalars(axis_, sums, DataType::float64, "loss");
  if (replicas_) all_reduce_scalars(*replicas_, sums, DataType::float64, "loss");
  compute_.synchronize(Deadline::never());
  return sum_of(std::span(sums_).first(micro_batches_.count()));
}

double Trainer::summed_hits() const {
  return sum_of(std::span(sums_).last(micro_batches_.count()));
}

// What tensor-parallel ranks hold copies of, the first one counts.
std::vector<Range> Trainer::counted_ranges(const OwnedRange& owned) const {
  if (position_.tensor.rank == 0 || injected(Bug::norm_counts_tensor_copies))
    return {{0, owned.count}};
  std::vector<Range> ranges;
  for (const auto& slice : slices_of(table_, layout_, std::span(&owned, 1)))
    if (!table_.parameters[slice.parameter].pieces.empty())
      ranges.push_back({slice.flat - owned.begin, slice.count});
  return ranges;
}

void Trainer::sum_of_norm(View values, DataType type) {
  if (plan_.steps_a_shard() || injected(Bug::norm_counts_replicas))
    all_reduce_scalars(axis_, values, type, "norm");
  if (tensor_axis_) all_reduce_scalars(*tensor_axis_, values, type, "norm");
}

double Trainer::gradient_square_sum() {
  if (config_.deterministic) return exact_square_sum();
  std::deque<SquareSum> sums;
  for (const auto& owned : gradients_->owned())
    for (const auto& range : counted_ranges(owned))
      math_.square_sum(&sums.emplace_back(), gradients_->of(owned).from(range.offset), range.count,
                       compute_);
  compute_.synchronize(Deadline::never());
  double sum = 0;
  for (const auto& part : sums) sum += part.finite ? part.sum : std::nan("");
  sum_of_norm(std::as_writable_bytes(std::span(&sum, 1)), DataType::float64);
  compute_.synchronize(Deadline::never());
  return sum;
}

// Of which bits do not depend on who holds which gradient.
double Trainer::exact_square_sum() {
  compute_.synchronize(Deadline::never());
  ExactSum sum;
  for (const auto& owned : gradients_->owned())
    for (const auto& range : counted_ranges(owned))
      sum.add_squares(gradients_->of(owned).from(range.offset), range.count);
  sum_of_norm(std::as_writable_bytes(sum.words()), DataType::int64);
  compute_.synchronize(Deadline::never());
  return sum.value();
}

// A step that was skipped publishes nothing.
void Trainer::check_account(const SentBytes& before, bool skipped) {
  auto sent = sent_bytes();
  for (const auto& [tag, bytes] : before) sent[tag] -= bytes;
  auto account = account_of(config_, plan_, position_);
  if (skipped && !is_sharded(table_.placements.parameters))
    std::erase_if(account.sent,
                  [](const auto& one) { return one.first.second.starts_with("parameter"); });
  if (const auto sentence = difference(account, sent, arena_)) throw Error(*sentence);
}

std::vector<std::pair<ParameterSlice, Array>> Trainer::parameters() {
  std::vector<std::pair<ParameterSlice, Array>> parts;
  for (const auto& slice : adam_.slices()) parts.emplace_back(slice, adam_.master(slice, *store_));
  return parts;
}

}  // namespace linerate::trainers
