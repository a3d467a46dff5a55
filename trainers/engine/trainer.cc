#include "trainers/engine/trainer.h"

#include "base/error.h"
#include "trainers/data/sampler.h"
#include "trainers/engine/chunk.h"
#include "trainers/optimizer/exact_sum.h"
#include "trainers/optimizer/gradient_scale.h"
#include "trainers/parallel/injected.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <numeric>
#include <thread>
#include <tuple>
#include <utility>

namespace linerate::trainers {
namespace {

// The data-parallel ranks along one axis of their mesh, of which each share of each stage has one.
Communicator& add_axis(RankContext& rank, const Position& position, const Mesh& mesh,
                       std::size_t axis) {
  const auto own = static_cast<std::size_t>(position.data_rank);
  const auto copy =
      static_cast<std::size_t>(position.stage) * position.tensor.nranks + position.tensor.rank;
  return rank.add_axis(static_cast<int>(copy * mesh.nranks() + mesh.group(own, axis)),
                       static_cast<int>(mesh.coordinate(own, axis)));
}

bool is_hybrid(const ParameterTable& table) {
  return main_axis(table) == kShardAxis && table.mesh.axes()[kReplicateAxis].size > 1;
}

Communicator& add_context_axis(RankContext& rank, const Position& position) {
  const auto share = position.stage * static_cast<int>(position.tensor.nranks) +
                     static_cast<int>(position.tensor.rank);
  return rank.add_axis(share * position.batch_nranks() + position.batch_rank(),
                       static_cast<int>(position.sequence.rank));
}

template <typename T>
double sum_of(std::span<T> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

Trainer::Trainer(RankContext& rank, const TrainConfig& config, const Source& source, Math& math)
    : rank_(rank),
      config_(config),
      source_(source),
      math_(math),
      position_(position_of(config, rank.rank(), rank.nranks())),
      micro_batches_(micro_batches_of(config, position_.batch_nranks())),
      leaves_(micro_batches_, position_),
      table_(table_of(config, position_)),
      compute_(rank.stream()),
      arena_(rank.world()),
      axis_(kAxisNames[main_axis(table_)],
            add_axis(rank, position_, table_.mesh, main_axis(table_))),
      replicas_(is_hybrid(table_)
                    ? std::optional<Axis>(std::in_place, kAxisNames[kReplicateAxis],
                                          add_axis(rank, position_, table_.mesh, kReplicateAxis))
                    : std::nullopt),
      tensor_axis_(config.tp > 1 ? std::optional<Axis>(
                                       std::in_place, kTensorAxisName,
                                       rank.add_axis(position_.place / static_cast<int>(config.tp),
                                                     position_.place))
                                 : std::nullopt),
      context_axis_(config.cp > 1 ? std::optional<Axis>(std::in_place, kContextAxisName,
                                                        add_context_axis(rank, position_))
                                  : std::nullopt),
      copies_axis_(copies() > 1 ? std::optional<Axis>(
                                      std::in_place, kTensorAxisName,
                                      rank.add_axis(position_.place / copies(), position_.place),
                                      fmt::format("{}, copies", kTensorAxisName))
                                : std::nullopt),
      tools_{.axis = axis_,
             .replicas = replicas_ ? &*replicas_ : nullptr,
             .math = math,
             .compute = compute_,
             .arena = arena_,
             .type = config.type},
      tensor_(position_.tensor, tensor_axis_ ? &*tensor_axis_ : nullptr, math, arena_,
              copies_axis_ ? &*copies_axis_ : nullptr),
      schedule_(schedule_of(config, position_)),
      plans_(chunks_of(config, position_)),
      loss_scale_(config.loss_scale) {
  if (position_.nstages > 1) links_.emplace(rank, config, position_, compute_, arena_);
  recorder_.emplace(rank, compute_, axes());
  for (std::size_t chunk = 0; chunk < plans_.size(); ++chunk)
    chunks_.push_back(std::make_unique<Chunk>(*this, chunk));
  if (links_ && plans_.back()->heads())
    tied_table_ = arena_.allocate(Category::parameter, tied_bytes());
}

Trainer::~Trainer() = default;

std::vector<Axis*> Trainer::axes() {
  std::vector<Axis*> axes{&axis_};
  for (auto* axis : {&replicas_, &tensor_axis_, &context_axis_, &copies_axis_})
    if (*axis) axes.push_back(&**axis);
  if (links_)
    for (auto* axis : links_->axes()) axes.push_back(axis);
  return axes;
}

// Each rank has consecutive micro-batches, the first ones perhaps one more than the others, which
// take part in the last round without one.
Round Trainer::round_of(std::uint64_t index) const {
  const auto nranks = position_.batch_nranks();
  const auto rounds = share_of(micro_batches_.count(), 0, nranks).count;
  const auto mine = share_of(micro_batches_.count(), position_.batch_rank(), nranks);
  Round round{.first = index == 0,
              .last = index + 1 == rounds,
              .active = index < mine.count || injected(Bug::repeats_a_sequence),
              .index = index,
              .micro_batch = mine.first + index -
                             (injected(Bug::repeats_a_sequence) && index == mine.count ? 1 : 0),
              .leaves = leaves_.count()};
  const bool each = is_sharded(table_.placements.gradients);  // round hands its gradients on
  const auto& mesh = table_.mesh;
  const auto along = main_axis(table_);
  const auto own = static_cast<std::size_t>(position_.data_rank);
  round.own = leaves_.of_round(own, index);
  for (std::size_t place = 0; place < mesh.axes()[along].size; ++place) {
    const auto rank = mesh.moved(own, along, place);
    round.by_rank.push_back(each ? leaves_.of_round(rank, index) : leaves_.of_rank(rank));
  }
  const auto shards = mesh.axes()[kShardAxis].size;
  for (std::size_t rank = 0; replicas_ && rank < mesh.nranks(); rank += shards)
    round.by_replica.push_back(leaves_.of_ranks(rank, rank + shards));
  return round;
}

StepResult Trainer::step() {
  StepResult result{.step = ++step_, .lr = config_.schedule.lr(step_)};
  const auto sent_before = sent_bytes();
  recorder_->begin();
  sleep_where_asked();
  sums_.assign(2 * micro_batches_.count() * position_.sequence.leaves, 0);
  begin_tied_table();
  for (const auto& operation : schedule_.stages[stage()]) run(operation);
  for (auto& chunk : chunks_) {
    chunk->gradients->finish();
    chunk->store->end_passes();
  }

  compute_.on({.work = Work::loss}, [&] { result.loss = summed_loss() / counted(); });
  if (links_) links_->finish();
  result.accuracy = summed_hits() / counted();
  result.tokens = config_.batch * config_.model.length;
  const double divisor = counted() * loss_scale() /
                         (injected(Bug::divides_by_own_tokens) ? rank_.nranks() : 1) *
                         (injected(Bug::divides_by_context_ranks) ? position_.cp() : 1);
  compute_.on({.work = Work::norm},
              [&] { result.norm = global_norm(gradient_square_sum(), divisor); });
  result.skipped = !std::isfinite(result.norm);
  if (!result.skipped) {
    const auto factor = clip_factor(result.norm, config_.clip);
    compute_.on({.work = Work::optimizer}, [&] {
      ++updates_;
      for (auto& chunk : chunks_)
        chunk->adam.step({.lr = result.lr, .number = updates_}, factor / divisor, *chunk->gradients,
                         *chunk->store);
    });
    for (auto& chunk : chunks_) chunk->store->publish();
  }
  const bool keeps_scale = injected(Bug::scales_on_rank_0_alone) && rank_.rank() > 0;
  if (config_.type == DataType::float16 && !keeps_scale) loss_scale_.update(result.skipped);
  spans_ = recorder_->end();
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
  compute_.wait(axis.record());
}

double Trainer::summed_loss() {
  const View sums = std::as_writable_bytes(std::span(sums_));
  all_reduce_scalars(axis_, sums, DataType::float64, "loss");
  if (replicas_) all_reduce_scalars(*replicas_, sums, DataType::float64, "loss");
  if (links_ && !injected(Bug::loss_of_own_stage))
    all_reduce_scalars(links_->all(), sums, DataType::float64, "loss");
  compute_.synchronize(Deadline::never());
  return sum_of(std::span(sums_).first(sums_.size() / 2));
}

double Trainer::summed_hits() const { return sum_of(std::span(sums_).last(sums_.size() / 2)); }

// What tensor-parallel ranks hold copies of, the first one counts.
std::vector<Range> Trainer::counted_ranges(const Chunk& chunk, const OwnedRange& owned) const {
  if (position_.tensor.rank == 0 || injected(Bug::norm_counts_tensor_copies))
    return {{0, owned.count}};
  std::vector<Range> ranges;
  const auto& [table, layout] = std::tie(chunk.what.table, chunk.what.layout);
  for (const auto& slice : slices_of(table, layout, std::span(&owned, 1)))
    if (const auto count = counted_of(table.parameters[slice.parameter], slice); count > 0)
      ranges.push_back({slice.flat - owned.begin, count});
  return ranges;
}

void Trainer::sum_of_norm(View values, DataType type) {
  if (is_sharded(table_.placements.optimizer) || injected(Bug::norm_counts_replicas))
    all_reduce_scalars(axis_, values, type, "norm");
  if (tensor_axis_) all_reduce_scalars(*tensor_axis_, values, type, "norm");
  if (links_ && !injected(Bug::norm_of_own_stage))
    all_reduce_scalars(links_->all(), values, type, "norm");
}

double Trainer::gradient_square_sum() {
  if (config_.deterministic) return exact_square_sum();
  std::deque<SquareSum> sums;
  for (auto& chunk : chunks_)
    for (const auto& owned : chunk->gradients->owned())
      for (const auto& range : counted_ranges(*chunk, owned))
        math_.square_sum(&sums.emplace_back(), chunk->gradients->of(owned).from(range.offset),
                         range.count, compute_);
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
  for (auto& chunk : chunks_)
    for (const auto& owned : chunk->gradients->owned())
      for (const auto& range : counted_ranges(*chunk, owned))
        sum.add_squares(chunk->gradients->of(owned).from(range.offset), range.count);
  sum_of_norm(std::as_writable_bytes(sum.words()), DataType::int64);
  compute_.synchronize(Deadline::never());
  return sum.value();
}

// A step that was skipped publishes nothing.
void Trainer::check_account(const SentBytes& before, bool skipped) {
  auto sent = sent_bytes();
  for (const auto& [tag, bytes] : before) sent[tag] -= bytes;
  auto account = account_of(config_, plans_, position_);
  if (skipped && !is_sharded(table_.placements.parameters))
    std::erase_if(account.sent,
                  [](const auto& one) { return one.first.second.starts_with("parameter"); });
  if (const auto sentence = difference(account, sent, arena_)) throw Error(*sentence);
}

std::vector<std::pair<ParameterSlice, Array>> Trainer::parameters() {
  std::vector<std::pair<ParameterSlice, Array>> parts;
  for (auto& chunk : chunks_)
    for (const auto& slice : chunk->adam.slices())
      parts.emplace_back(slice, chunk->adam.master(slice, *chunk->store));
  return parts;
}

}  // namespace linerate::trainers
