// Backward of a block's two branches. The gradient of the residual stream passes by each and gets
// its part added.
#include "trainers/model/block.h"

namespace linerate::trainers {
namespace {

// The gradient of a branch's result before its dropout.
Array branch_gradient(const UnitPass& pass, std::size_t which, const Scratch& scratch) {
  if (pass.config.dropout == 0) return scratch.dx;
  pass.drop(which, scratch.dbranch, scratch.dx);
  return scratch.dbranch;
}

}  // namespace

void mlp_backward(const UnitPass& pass, const DecoderBlock& block, const BlockTensors& t,
                  const Scratch& scratch) {
  const auto dy = branch_gradient(pass, UnitPass::mlp_dropout(block.layer), scratch);
  pass.project_backward(block.down, dy, t.act, scratch.dact);

  const auto columns = pass.config.mlp;
  if (pass.config.llama)
    pass.math.swiglu_backward(scratch.dwide, scratch.dact, t.up, pass.rows(), columns, pass.stream);
  else
    pass.math.gelu_backward(scratch.dwide, scratch.dact, t.up, pass.rows() * columns, pass.stream);

  pass.project_backward(block.up, scratch.dwide, t.norm2.y, scratch.dnarrow);
  pass.normalise_backward(block.norm2, t.norm2, t.middle, scratch);
}

void attention_backward(const UnitPass& pass, const DecoderBlock& block, const BlockTensors& t,
                        const Scratch& scratch) {
  const auto& model = pass.config;
  const auto dy = branch_gradient(pass, UnitPass::attention_dropout(block.layer), scratch);
  pass.project_backward(block.out, dy, t.o, scratch.dnarrow);

  const auto shape = attention_of(pass, t);
  const auto [dq, dk, dv] = parts_of(model, scratch.dwide);
  pass.math.attention_backward(shape, scratch.dnarrow, dq, dk, dv, pass.stream);
  if (model.llama) {
    pass.math.rope(shape, dq, model.heads, true, pass.stream);
    pass.math.rope(shape, dk, model.kv_heads, true, pass.stream);
  }

  pass.project_backward(block.qkv, scratch.dwide, t.norm1.y, scratch.dnarrow);
  pass.normalise_backward(block.norm1, t.norm1, t.x, scratch);
}

}  // namespace linerate::trainers
