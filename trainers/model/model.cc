#include "trainers/model/model.h"

#include "trainers/model/activations.h"
#include "trainers/model/block.h"
#include "trainers/model/ends.h"

#include <cassert>
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
        device(memory.device()),
        activations(model, chosen, memory),
        embeddings(embeddings_of(parameters)),
        norm(layer_named(parameters, "norm")) {
    for (std::size_t layer = 0; layer < model.layers; ++layer)
      blocks.push_back(decoder_block(parameters, layer));
  }

  UnitPass pass(Array parameters, Stream& stream) {
    assert(parameters.type == options.type);
    return {.config = config,
            .table = table,
            .batch = batch,
            .math = math,
            .tensor = tensor,
            .stream = stream,
            .parameters = parameters};
  }
  TiedHead head(Array weights, Array gradients) const {
    const auto offset = table.parameters[embeddings.token].offset;
    return {.norm = norm,
            .token = embeddings.token,
            .weight = weights.from(offset),
            .gradient = gradients ? gradients.from(offset) : Array{}};
  }
  std::size_t last_unit() const { return config.layers + 1; }

  void head_unit_backward(const UnitPass& pass, const TiedHead& tied, double loss_scale) {
    const auto& scratch = activations.scratch();
    const auto bytes = pass.elements() * bytes_of(options.type);
    head_losses(pass, activations.head(), loss_scale);
    device.zero({scratch.dx.data, bytes}, pass.stream);
    head_backward(pass, tied, activations.head(), scratch);
  }

  void block_unit_backward(const UnitPass& pass, std::size_t layer) {
    const auto& block = blocks[layer];
    const auto& tensors = activations.block(layer);
    const auto& scratch = activations.scratch();
    if (options.recompute == Recompute::full) block_recompute(pass, block, tensors);
    mlp_backward(pass, block, tensors, scratch);
    if (options.recompute == Recompute::selective) attention_recompute(pass, tensors);
    attention_backward(pass, block, tensors, scratch);
  }

  const ModelConfig& config;
  const ParameterTable& table;
  const ModelOptions options;
  Math& math;
  TensorParallel& tensor;
  Device& device;
  const Activations activations;
  const Embeddings embeddings;
  const Layer norm;
  std::vector<DecoderBlock> blocks;
  MicroBatch batch;
};

Model::Model(const ModelConfig& config, const ParameterTable& table, const ModelOptions& options,
             Math& math, TensorParallel& tensor, Arena& arena)
    : parts_(std::make_unique<Parts>(config, table, options, math, tensor, arena)) {}

Model::~Model() = default;

void Model::begin(const MicroBatch& batch) {
  assert(batch.sequences > 0 && batch.sequences <= parts_->options.sequences);
  assert(batch.tokens.size() == batch.sequences * parts_->config.length);
  assert(batch.targets.size() == batch.tokens.size());
  parts_->batch = batch;
}

void Model::forward(std::size_t unit, Array parameters, Array embeddings, Stream& stream) {
  const auto pass = parts_->pass(parameters, stream);
  const auto& activations = parts_->activations;
  if (unit == 0) {
    embeddings_forward(pass, parts_->embeddings, activations.block(0).x);
  } else if (unit < parts_->last_unit()) {
    const auto layer = unit - 1;
    block_forward(pass, parts_->blocks[layer], activations.block(layer),
                  activations.output_of(layer));
  } else {
    head_forward(pass, parts_->head(embeddings, {}), activations.head());
    if (!parts_->options.trains) head_losses(pass, activations.head(), 1);
  }
}

void Model::backward(std::size_t unit, Array parameters, Array embeddings,
                     const Gradients& gradients, double loss_scale, const Ready& ready,
                     Stream& stream) {
  assert(parts_->options.trains);
  auto pass = parts_->pass(parameters, stream);
  pass.gradients = gradients.own;
  pass.ready = &ready;
  if (unit == 0) {
    embeddings_backward(pass, parts_->embeddings, parts_->activations.scratch());
  } else if (unit < parts_->last_unit()) {
    parts_->block_unit_backward(pass, unit - 1);
  } else {
    parts_->head_unit_backward(pass, parts_->head(embeddings, gradients.embeddings), loss_scale);
  }
}

std::span<const double> Model::losses() const {
  const auto losses = parts_->activations.head().losses;
  return {reinterpret_cast<const double*>(losses.data),
          parts_->batch.sequences * parts_->config.length};
}

std::span<const std::uint8_t> Model::hits() const {
  const auto hits = parts_->activations.head().hits;
  return {reinterpret_cast<const std::uint8_t*>(hits.data), losses().size()};
}

Array Model::logits() const { return parts_->activations.head().logits; }

}  // namespace linerate::trainers
