#include "trainers/model/model.h"

#include "trainers/model/activations.h"
#include "trainers/model/block.h"
#include "trainers/model/ends.h"

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

namespace linerate::trainers {

struct Model::Parts {
  Parts(const ModelConfig& model, const ParameterTable& parameters, const ModelOptions& chosen,
        Math& functions, TensorParallel& parallel, Arena& memory)
      : config(model),
        table(parameters),
        options(chosen),
        math(functions),
        tensor(parallel),
        arena(memory),
        sequence(share_of(model, chosen)),
        attention({.axis = chosen.context_axis,
                   .exchanges_heads = chosen.context == ContextMethod::ulysses,
                   .split = sequence.split,
                   .leaves = sequence.leaves,
                   .kept = keeps_attention(chosen) ? chosen.slots * model.layers : 1},
                  functions, memory),
        activations(model, chosen, memory),
        batches(chosen.slots),
        later(chosen.slots) {
    for (auto& units : later) units.resize(parameters.units());
    if (chosen.embeds) embeddings = embeddings_of(parameters);
    if (chosen.heads) norm = layer_named(parameters, "norm");
    for (std::size_t layer = 0; layer < model.layers; ++layer)
      blocks.push_back(decoder_block(parameters, chosen.first_layer + layer));
    if (sequence.split.ranks > 1) positions = sequence.split.positions(sequence.rank);
  }
  static SequenceShare share_of(const ModelConfig& model, const ModelOptions& options) {
    auto share = options.sequence;
    if (share.split.length == 0) share.split.length = model.length;
    assert(share.split.local_length() == model.length);
    return share;
  }

  UnitPass pass(std::size_t slot, Array parameters, Stream& stream) {
    assert(parameters.type == options.type);
    return {.config = config,
            .table = table,
            .batch = batches[slot],
            .math = math,
            .tensor = tensor,
            .sequence = sequence,
            .positions = positions,
            .attention = attention,
            .slot = slot,
            .first_layer = options.first_layer,
            .ties_by_rows = options.ties_by_rows,
            .arena = arena,
            .stream = stream,
            .parameters = parameters};
  }
  TiedHead head(Array weights, Array gradients) const {
    const auto& token = token_table(table);
    return {.norm = norm,
            .pieces = token.pieces,
            .weight = weights.from(token.offset),
            .gradient = gradients ? gradients.from(token.offset) : Array{}};
  }
  // Units are the embeddings, the layers and the head, where the chunk has them.
  bool embeds(std::size_t unit) const { return options.embeds && unit == 0; }
  std::size_t layer_of(std::size_t unit) const { return options.embeds ? unit - 1 : unit; }

  void head_unit_backward(const UnitPass& pass, const TiedHead& tied, const HeadTensors& head,
                          double loss_scale) {
    const auto scratch = scratch_for(pass, 0);
    const auto bytes = pass.elements() * bytes_of(options.type);
    head_losses(pass, head, loss_scale);
    arena.device().zero({scratch.dx.data, bytes}, pass.stream);
    head_backward(pass, tied, head, scratch);
  }

  void block_unit_backward(const UnitPass& pass, const DecoderBlock& block,
                           const BlockTensors& tensors) {
    if (options.recompute == Recompute::full) block_recompute(pass, block, tensors);
    mlp_backward(pass, block, tensors, scratch_for(pass, config.mlp_in()));
    if (options.recompute == Recompute::selective) attention_recompute(pass, block.layer, tensors);
    attention_backward(pass, block, tensors, scratch_for(pass, config.qkv()));
  }

  void unit_backward(const UnitPass& pass, std::size_t unit, const TiedHead& tied,
                     const HeadRows& rows, double loss_scale) {
    if (embeds(unit)) return embeddings_backward(pass, embeddings, rows, activations.scratch());
    const auto layer = layer_of(unit);
    if (layer < config.layers)
      return block_unit_backward(pass, blocks[layer], activations.block(pass.slot, layer));
    head_unit_backward(pass, tied, activations.head(pass.slot), loss_scale);
  }

  // Where weights' gradients are computed later, memory that stays until then. `wide`: columns of a
  // branch's wide gradient; 0: there is no branch.
  Scratch scratch_for(const UnitPass& pass, std::size_t wide) {
    auto scratch = activations.scratch();
    if (pass.later == nullptr) return scratch;
    const auto allocate = [&](std::size_t columns) {
      return pass.later->allocate(arena, options.type, pass.rows() * columns);
    };
    scratch.dnarrow = allocate(std::max(config.hidden, config.q_hidden()));
    if (wide == 0) return scratch;
    scratch.dwide = allocate(wide);
    scratch.dbranch = allocate(config.hidden);
    if (!config.llama) scratch.dact = scratch.dwide;
    return scratch;
  }

  const ModelConfig& config;
  const ParameterTable& table;
  const ModelOptions options;
  Math& math;
  TensorParallel& tensor;
  Arena& arena;
  const SequenceShare sequence;
  std::vector<std::int32_t> positions;
  ContextAttention attention;
  const Activations activations;
  Embeddings embeddings;
  Layer norm;
  std::vector<DecoderBlock> blocks;
  std::vector<MicroBatch> batches;                  // by slot
  std::vector<std::vector<UnitPass::Later>> later;  // by slot and unit
};

Model::Model(const ModelConfig& config, const ParameterTable& table, const ModelOptions& options,
             Math& math, TensorParallel& tensor, Arena& arena)
    : parts_(std::make_unique<Parts>(config, table, options, math, tensor, arena)) {}

Model::~Model() = default;

void Model::begin(const MicroBatch& batch) {
  assert(batch.sequences > 0 && batch.sequences <= parts_->options.sequences);
  [[maybe_unused]] const auto positions = batch.sequences * parts_->config.length;
  assert(!parts_->options.embeds || batch.tokens.size() == positions);
  assert(!parts_->options.heads || batch.targets.size() == positions);
  parts_->batches[slot_] = batch;
}

Array Model::input() const { return parts_->activations.block(slot_, 0).x; }
Array Model::output() const {
  return parts_->activations.output_of(slot_, parts_->config.layers - 1);
}
Array Model::slope() const { return parts_->activations.scratch().dx; }

void Model::forward(std::size_t unit, Array parameters, Array embeddings, Stream& stream) {
  const auto pass = parts_->pass(slot_, parameters, stream);
  const auto& activations = parts_->activations;
  if (parts_->embeds(unit))
    return embeddings_forward(pass, parts_->embeddings, activations.block(slot_, 0).x);
  const auto layer = parts_->layer_of(unit);
  if (layer < parts_->config.layers)
    return block_forward(pass, parts_->blocks[layer], activations.block(slot_, layer),
                         activations.output_of(slot_, layer));
  head_forward(pass, parts_->head(embeddings, {}), activations.head(slot_));
  if (!parts_->options.trains) head_losses(pass, activations.head(slot_), 1);
}

void Model::backward(std::size_t unit, Array parameters, Array embeddings,
                     const Gradients& gradients, double loss_scale, const Ready& ready,
                     Stream& stream) {
  assert(parts_->options.trains);
  auto pass = parts_->pass(slot_, parameters, stream);
  pass.gradients = gradients.own;
  pass.second = gradients.second;
  pass.ready = &ready;
  parts_->unit_backward(pass, unit, parts_->head(embeddings, gradients.embeddings),
                        gradients.head_rows.logits ? gradients.head_rows : head_rows(), loss_scale);
}

void Model::backward_input(std::size_t unit, Array parameters, Array embeddings,
                           Array head_gradient, double loss_scale, Stream& stream) {
  auto pass = parts_->pass(slot_, parameters, stream);
  pass.later = &parts_->later[slot_][unit];
  parts_->unit_backward(pass, unit, parts_->head(embeddings, head_gradient), {}, loss_scale);
}

void Model::backward_weight(std::size_t unit, const Gradients& gradients, const Ready& ready,
                            Stream& stream) {
  auto pass = parts_->pass(slot_, {nullptr, parts_->options.type}, stream);
  pass.gradients = gradients.own;
  pass.second = gradients.second;
  pass.ready = &ready;
  const auto later = std::exchange(parts_->later[slot_][unit], {});
  if (parts_->embeds(unit))
    tables_backward(pass, parts_->embeddings, gradients.head_rows,
                    later.memory.front().array(parts_->options.type));
  for (const auto& [layer, add] : later.adds) pass.accumulate(layer, add);
}

std::span<const double> Model::losses() const {
  const auto losses = parts_->activations.head(slot_).losses;
  return {reinterpret_cast<const double*>(losses.data),
          parts_->batches[slot_].sequences * parts_->config.length};
}

std::span<const std::uint8_t> Model::hits() const {
  const auto hits = parts_->activations.head(slot_).hits;
  return {reinterpret_cast<const std::uint8_t*>(hits.data), losses().size()};
}

HeadRows Model::head_rows() const {
  if (!parts_->options.heads) return {};
  const auto& head = parts_->activations.head(slot_);
  return {head.logits, head.inputs};
}

Array Model::logits() const { return parts_->activations.head(slot_).logits; }

}  // namespace linerate::trainers
