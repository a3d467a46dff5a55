// How a Trainer makes the operations of its stage's list: forward and backward of a micro-batch in
// a chunk, and messages. Without a pipeline each micro-batch goes forward and backward in turn.
#include "base/splitmix.h"
#include "trainers/data/sampler.h"
#include "trainers/engine/chunk.h"
#include "trainers/parallel/injected.h"
#include "trainers/pipeline/messages.h"

#include <algorithm>
#include <cassert>
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
          .micro_batch = static_cast<std::uint32_t>(round.micro_batch),
          .operation = static_cast<std::uint32_t>(round.operation)};
}

// Of whole sequences.
void keep_own_positions(const SequenceShare& share, std::vector<std::int32_t>& tokens) {
  if (share.split.ranks == 1) return;
  const auto whole = std::exchange(tokens, {});
  const auto rows = whole.size() / share.split.ranks;
  each_run(share, {0, rows}, [&](const RowRun& run) {
    const auto* const from = &whole[run.sequence * share.split.length + run.position];
    tokens.insert(tokens.end(), from, from + run.count);
  });
}

bool is_of_activations(Action action) {
  return action == Action::send_activation || action == Action::receive_activation;
}

}  // namespace

// A rank without a micro-batch makes the calls of one that has one, in their order; the other
// stages of its pipeline have none either.
void Trainer::run(const Operation& operation) {
  auto round = round_of(static_cast<std::uint64_t>(operation.micro_batch));
  round.operation = static_cast<std::size_t>(&operation - schedule_.stages[stage()].data());
  auto& chunk = *chunks_[static_cast<std::size_t>(operation.chunk)];
  if (operation.action == Action::forward) return forward(chunk, round);
  if (is_computation(operation.action)) return backward(chunk, round, operation.action);
  if (!round.active) return;
  is_send(operation.action) ? send(operation, round) : receive(operation, round);
}

void Trainer::load(Chunk& chunk, const Round& round) {
  auto& in = chunk.inputs[chunk.slot(round)];
  const auto length = config_.model.length;
  const auto sequences = micro_batches_.sequences(round.micro_batch);
  const bool reads = chunk.what.embeds() || chunk.what.heads();
  in.tokens.resize(reads ? sequences * length : 0);
  in.targets.resize(in.tokens.size());
  const Sampler sampler{
      .seed = config_.seed, .sequences = source_.sequences(), .batch = config_.batch};
  for (std::uint64_t i = 0; reads && i < sequences; ++i) {
    const auto sequence = sampler.sequence(static_cast<std::uint64_t>(step_ - 1),
                                           micro_batches_.first(round.micro_batch) + i);
    source_.read(sequence, std::span(in.tokens).subspan(i * length, length),
                 std::span(in.targets).subspan(i * length, length));
  }
  auto share = position_.sequence;
  if (injected(Bug::tokens_of_other_chunks)) share.split.zigzag = false;
  for (auto* rows : {&in.tokens, &in.targets}) keep_own_positions(share, *rows);
  if (injected(Bug::targets_within_rank) && share.split.ranks > 1)
    std::copy(in.tokens.begin() + 1, in.tokens.end(), in.targets.begin());
  // Of tokens this rank knows its own; of targets all.
  const auto& vocabulary = table_.parameters[0];
  if (!vocabulary.pieces.empty()) {
    const auto first = static_cast<std::int32_t>(vocabulary.pieces.front().origin);
    const auto count = static_cast<std::int32_t>(chunk.config.vocabulary);
    for (auto& token : in.tokens)
      token = token >= first && token - first < count ? token - first : -1;
  }
  const auto to_device = [&](const std::vector<std::int32_t>& from, const Block& to) {
    if (!to) return std::span<const std::int32_t>();
    const auto bytes = std::as_bytes(std::span(from));
    arena_.device().copy(to.view().first(bytes.size()), bytes, compute_);
    return std::span(reinterpret_cast<const std::int32_t*>(to.data()), from.size());
  };
  chunk.model.begin({.tokens = to_device(in.tokens, in.device_tokens),
                     .targets = to_device(in.targets, in.device_targets),
                     .sequences = sequences,
                     .dropout_key = dropout_key(config_.seed, step_),
                     .first_position = injected(Bug::drops_by_own_position)
                                           ? 0
                                           : micro_batches_.first(round.micro_batch) * length});
}

void Trainer::forward(Chunk& chunk, const Round& round) {
  chunk.model.select(chunk.slot(round));
  if (round.active) {
    compute_.on(of_round(Work::data, round), [&] { load(chunk, round); });
    if (!chunk.what.embeds()) take(chunk, round, Action::receive_activation, chunk.model.input());
  }
  for (std::size_t unit = 0; unit < chunk.what.table.units(); ++unit) {
    const auto parameters = chunk.store->use(unit, ParameterStore::Pass::forward);
    if (unit == 0 && chunk.what.embeds()) {
      chunk.embeddings = parameters;
      if (links_ && round.first) send_tied_table(parameters);
    }
    if (round.active)
      compute_.on(of_round(Work::forward, round, chunk.what.first_unit + unit), [&] {
        chunk.model.forward(unit, parameters, head_table(chunk, unit), compute_);
      });
    chunk.store->release(unit, ParameterStore::Pass::forward);
  }
}

// Of the halves the first one uses the parameters, the second one writes the gradients.
void Trainer::backward(Chunk& chunk, const Round& round, Action action) {
  const bool inputs = action != Action::backward_weight, weights = action != Action::backward_input;
  auto& gradients = *chunk.gradients;
  chunk.model.select(chunk.slot(round));
  if (weights) gradients.begin_round(round);
  const auto tied = weights ? begin_tied_gradient(chunk, round) : Incoming{};
  if (round.active && inputs && !chunk.what.heads())
    take(chunk, round, Action::receive_gradient, chunk.model.slope());
  for (auto unit = chunk.what.table.units(); unit-- > 0;) {
    const auto parameters =
        inputs ? chunk.store->use(unit, ParameterStore::Pass::backward) : Array{};
    const bool left_out = !inputs && round.last && injected(Bug::leaves_out_the_last_weights);
    if (round.active && !left_out) {
      HeadRows rows;
      if (unit == 0 && tied.data) {
        compute_.wait(tied.done);
        if (config_.deterministic)
          rows = head_rows_in(tied.data, round);
        else
          add_tied_gradient(tied, gradients.unit(0));
      }
      compute_.on(of_round(Work::backward, round, chunk.what.first_unit + unit), [&] {
        unit_backward(chunk, round, action, {unit, parameters, rows});
      });
      const bool is_head = chunk.what.heads() && unit + 1 == chunk.what.table.units();
      if (links_ && is_head && inputs) send_tied_gradient(chunk, round);
    } else if (weights) {
      for (std::size_t i = 0; i < chunk.what.table.parameters.size(); ++i)
        if (chunk.what.table.parameters[i].unit == unit) gradients.ready(i);
    }
    if (inputs) chunk.store->release(unit, ParameterStore::Pass::backward);
  }
  if (weights) gradients.end_round();
  if (!round.active || !chunk.what.heads() || !inputs) return;
  compute_.synchronize(Deadline::never());
  add_losses(chunk.model, round);
}

void Trainer::unit_backward(Chunk& chunk, const Round& round, Action action,
                            const UnitBackward& what) {
  const auto unit = what.unit;
  auto& gradients = *chunk.gradients;
  const bool is_head = chunk.what.heads() && unit + 1 == chunk.what.table.units();
  const auto head = [&] { return is_head ? head_gradient(chunk) : Array{}; };
  if (action == Action::backward_input)
    return chunk.model.backward_input(unit, what.parameters, head_table(chunk, unit), head(),
                                      loss_scale(), compute_);
  const bool two_leaves = config_.deterministic && round.own.size() > 1;
  Model::Gradients into{.own = gradients.unit(unit),
                        .second = two_leaves ? gradients.unit(unit, 1) : Array{},
                        .head_rows = what.head_rows};
  const auto ready = [&](std::size_t parameter) { gradients.ready(parameter); };
  if (action == Action::backward_weight)
    return chunk.model.backward_weight(unit, into, ready, compute_);
  into.embeddings = head();
  chunk.model.backward(unit, what.parameters, head_table(chunk, unit), into, loss_scale(), ready,
                       compute_);
}

// The rows of each leaf in their order.
void Trainer::add_losses(const Model& model, const Round& round) {
  const auto& share = position_.sequence;
  const auto losses = model.losses();
  const auto hits = model.hits();
  each_run(share, {0, losses.size()}, [&](const RowRun& run) {
    for (std::size_t i = 0; i < run.count; ++i) {
      const auto leaf = round.micro_batch * share.leaves + (run.position + i) / share.leaf_length();
      sums_[leaf] += losses[run.first + i];
      sums_[sums_.size() / 2 + leaf] += hits[run.first + i];
    }
  });
}

std::size_t Trainer::rows_of(const Round& round) const {
  return micro_batches_.sequences(round.micro_batch) * position_.sequence.split.local_length();
}

std::size_t Trainer::message_bytes(const Round& round) const {
  return rows_of(round) / position_.tensor.row_parts() * config_.model.hidden *
         bytes_of(config_.type);
}

void Trainer::send(const Operation& operation, const Round& round) {
  const auto& model = chunks_[static_cast<std::size_t>(operation.chunk)]->model;
  const bool activation = is_of_activations(operation.action);
  auto block = arena_.allocate(Category::comm, message_bytes(round));
  const auto from = activation ? model.output() : model.slope();
  arena_.device().copy(block.view(), ConstView(from.data, block.bytes()), compute_);
  links_->send(operation.peer, activation ? kActivations : kSlopes, std::move(block));
}

void Trainer::receive(const Operation& operation, const Round& round) {
  const auto purpose = is_of_activations(operation.action) ? kActivations : kSlopes;
  incoming_[operation] = links_->receive(operation.peer, purpose, message_bytes(round));
}

// What was received for a computation.
void Trainer::take(Chunk& chunk, const Round& round, Action action, Array to) {
  const auto found = incoming_.find(operation_of(schedule_.pipeline, position_.stage, action,
                                                 static_cast<int>(round.index), chunk.index));
  assert(found != incoming_.end());
  const auto& [data, done] = found->second;
  compute_.wait(done);
  arena_.device().copy(View(to.data, data.bytes()), data.view(), compute_);
  incoming_.erase(found);
}

// The table of tokens, which is the head's matrix too.

std::size_t Trainer::tied_bytes() const {
  return table_.parameters.front().count() * bytes_of(config_.type);
}

// The last stage has a copy of the first one's, new in each step.
void Trainer::begin_tied_table() {
  const bool old = injected(Bug::keeps_the_first_head_table) && step_ > 1;
  if (!tied_table_ || old) return;
  tied_table_arrives_ = links_->receive(0, kTiedTable, tied_table_.view());
  tied_table_is_here_ = false;
}

void Trainer::send_tied_table(Array embeddings) {
  if (injected(Bug::keeps_the_first_head_table) && step_ > 1) return;
  auto block = arena_.allocate(Category::comm, tied_bytes());
  arena_.device().copy(block.view(), ConstView(embeddings.data, block.bytes()), compute_);
  links_->send(position_.nstages - 1, kTiedTable, std::move(block));
}

Array Trainer::head_table(const Chunk& chunk, std::size_t unit) {
  if (!tied_table_) return chunk.embeddings;
  if (chunk.what.heads() && unit + 1 == chunk.what.table.units() && !tied_table_is_here_) {
    compute_.wait(tied_table_arrives_);
    tied_table_is_here_ = true;
  }
  return tied_table_.array(config_.type);
}

Array Trainer::head_gradient(Chunk& chunk) {
  if (config_.deterministic) return {};  // the embeddings' backward adds its part
  if (!links_) return chunk.gradients->unit(0);
  if (!tied_gradient_) {
    tied_gradient_ = arena_.allocate(Category::gradient, tied_bytes());
    arena_.device().zero(tied_gradient_.view(), compute_);
  }
  return tied_gradient_.array(config_.type);
}

// In canonical mode a leaf is the head's part and then the embeddings': the first stage computes
// both, from what the head's product adds up over rows. Else the sum over this pipeline's
// micro-batches is sent at once.
bool Trainer::sends_tied_gradient(const Round& round) const {
  const auto own =
      share_of(micro_batches_.count(), position_.batch_rank(), position_.batch_nranks());
  return config_.deterministic || round.index + 1 == own.count ||
         injected(Bug::sends_each_head_gradient);
}

std::size_t Trainer::tied_gradient_bytes(const Round& round) const {
  if (!config_.deterministic) return tied_bytes();
  const auto columns = table_.parameters.front().shape[0] + config_.model.hidden;
  return rows_of(round) * columns * bytes_of(config_.type);
}

// The gradients of logits of all rows, then the inputs of the head's product.
HeadRows Trainer::head_rows_in(const Block& block, const Round& round) const {
  const auto logits = block.array(config_.type);
  return {logits, logits.from(rows_of(round) * table_.parameters.front().shape[0])};
}

void Trainer::send_tied_gradient(const Chunk& chunk, const Round& round) {
  if (!sends_tied_gradient(round)) return;
  if (!config_.deterministic) return links_->send(0, kTiedGradient, std::move(tied_gradient_));
  auto block = arena_.allocate(Category::comm, tied_gradient_bytes(round));
  const auto from = chunk.model.head_rows(), to = head_rows_in(block, round);
  const auto logits = rows_of(round) * table_.parameters.front().shape[0];
  arena_.device().copy(view_of(to.logits, logits), view_of(from.logits, logits), compute_);
  const auto inputs = rows_of(round) * config_.model.hidden;
  arena_.device().copy(view_of(to.inputs, inputs), view_of(from.inputs, inputs), compute_);
  links_->send(0, kTiedGradient, std::move(block));
}

Incoming Trainer::begin_tied_gradient(const Chunk& chunk, const Round& round) {
  const bool comes = links_ && chunk.what.embeds() && round.active && sends_tied_gradient(round);
  if (!comes) return {};
  return links_->receive(position_.nstages - 1, kTiedGradient, tied_gradient_bytes(round));
}

void Trainer::add_tied_gradient(const Incoming& part, Array embeddings) {
  if (injected(Bug::leaves_the_head_gradient_out)) return;
  math_.add(embeddings, embeddings, part.data.array(config_.type),
            table_.parameters.front().count(), compute_);
}

}  // namespace linerate::trainers
