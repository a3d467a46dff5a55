// Forward, whole and in part, then backward of the two branches: the gradient of the residual
// stream passes by each and gets its part added.
#include "trainers/model/block.h"

#include <fmt/format.h>

namespace linerate::trainers {
namespace {

// Where attention saves what a layer's backward needs of this micro-batch's forward.
std::size_t saved_by(const UnitPass& pass, std::size_t layer) {
  return pass.slot * pass.config.layers + layer - pass.first_layer;
}

void attention_branch(const UnitPass& pass, const DecoderBlock& block, const BlockTensors& t) {
  const auto& model = pass.config;
  pass.normalise(block.norm1, t.norm1, t.x);
  {
    Block memory;
    pass.project(block.qkv, t.qkv, pass.gathered(t.norm1.y, memory));
  }
  if (model.llama) {
    const auto shape = attention_of(pass, t);
    pass.math.rope(shape, shape.q, model.heads, false, pass.stream);
    pass.math.rope(shape, shape.k, model.kv_heads, false, pass.stream);
  }
  attention_recompute(pass, block.layer, t);
  pass.project(block.out, t.middle, t.o);
  pass.drop(UnitPass::attention_dropout(block.layer), t.middle, t.middle);
  pass.math.add(t.middle, t.x, t.middle, pass.elements(), pass.stream);
}

// The gradient of a branch's result before its dropout.
Array branch_gradient(const UnitPass& pass, std::size_t which, const Scratch& scratch) {
  if (pass.config.dropout == 0) {
    if (pass.later == nullptr) return scratch.dx;
    const auto count = pass.elements();
    pass.arena.device().copy(view_of(scratch.dbranch, count), view_of(scratch.dx, count),
                             pass.stream);
    return scratch.dbranch;
  }
  pass.drop(which, scratch.dbranch, scratch.dx);
  return scratch.dbranch;
}

}  // namespace

DecoderBlock decoder_block(const ParameterTable& table, std::size_t layer) {
  const auto named = [&](std::string_view name) {
    return layer_named(table, fmt::format("block{}.{}", layer, name));
  };
  const bool gated = table.index_of(fmt::format("block{}.mlp.gate_up.weight", layer)).has_value();
  return {.layer = layer,
          .norm1 = named("norm1"),
          .qkv = named("attention.qkv"),
          .out = named("attention.out"),
          .norm2 = named("norm2"),
          .up = named(gated ? "mlp.gate_up" : "mlp.up"),
          .down = named("mlp.down")};
}

Attention attention_of(const UnitPass& pass, const BlockTensors& tensors) {
  const auto& model = pass.config;
  const auto [q, k, v] = parts_of(model, tensors.qkv);
  return {.batch = pass.batch.sequences,
          .length = model.length,
          .heads = model.heads,
          .kv_heads = model.kv_heads,
          .head = model.head(),
          .stride = model.qkv(),
          .q = q,
          .k = k,
          .v = v,
          .o = tensors.o,
          .lse = tensors.lse,
          .positions = pass.positions};
}

void attention_recompute(const UnitPass& pass, std::size_t layer, const BlockTensors& tensors) {
  pass.attention.forward(saved_by(pass, layer), attention_of(pass, tensors), pass.stream);
}

void block_recompute(const UnitPass& pass, const DecoderBlock& block, const BlockTensors& t) {
  attention_branch(pass, block, t);
  pass.normalise(block.norm2, t.norm2, t.middle);
  Block memory;
  pass.project(block.up, t.up, pass.gathered(t.norm2.y, memory));
  const auto columns = pass.config.mlp;
  if (pass.config.llama)
    pass.math.swiglu_forward(t.act, t.up, pass.rows(), columns, pass.stream);
  else
    pass.math.gelu_forward(t.act, t.up, pass.rows() * columns, pass.stream);
}

void block_forward(const UnitPass& pass, const DecoderBlock& block, const BlockTensors& t,
                   Array y) {
  block_recompute(pass, block, t);
  pass.project(block.down, y, t.act);
  pass.drop(UnitPass::mlp_dropout(block.layer), y, y);
  pass.math.add(y, t.middle, y, pass.elements(), pass.stream);
}

void mlp_backward(const UnitPass& pass, const DecoderBlock& block, const BlockTensors& t,
                  const Scratch& scratch) {
  const auto dy = branch_gradient(pass, UnitPass::mlp_dropout(block.layer), scratch);
  Block memory;
  pass.project_backward(block.down, pass.gathered(dy, memory), t.act, scratch.dact);

  const auto columns = pass.config.mlp;
  if (pass.config.llama)
    pass.math.swiglu_backward(scratch.dwide, scratch.dact, t.up, pass.rows(), columns, pass.stream);
  else
    pass.math.gelu_backward(scratch.dwide, scratch.dact, t.up, pass.rows() * columns, pass.stream);

  pass.project_backward(block.up, scratch.dwide, pass.gathered(t.norm2.y, memory), scratch.dnarrow);
  pass.normalise_backward(block.norm2, t.norm2, t.middle, scratch);
}

void attention_backward(const UnitPass& pass, const DecoderBlock& block, const BlockTensors& t,
                        const Scratch& scratch) {
  const auto& model = pass.config;
  const auto dy = branch_gradient(pass, UnitPass::attention_dropout(block.layer), scratch);
  Block memory;
  pass.project_backward(block.out, pass.gathered(dy, memory), t.o, scratch.dnarrow);

  const auto shape = attention_of(pass, t);
  const auto [dq, dk, dv] = parts_of(model, scratch.dwide);
  pass.attention.backward(saved_by(pass, block.layer), shape, {scratch.dnarrow, dq, dk, dv},
                          pass.stream);
  if (model.llama) {
    pass.math.rope(shape, dq, model.heads, true, pass.stream);
    pass.math.rope(shape, dk, model.kv_heads, true, pass.stream);
  }

  pass.project_backward(block.qkv, scratch.dwide, pass.gathered(t.norm1.y, memory),
                        scratch.dnarrow);
  pass.normalise_backward(block.norm1, t.norm1, t.x, scratch);
}

}  // namespace linerate::trainers
