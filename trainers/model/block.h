// A decoder's block: x + attention(norm(x)), then + mlp(norm(of that)).
#pragma once

#include "trainers/model/unit_pass.h"

#include <cstddef>

namespace linerate::trainers {

struct DecoderBlock {
  std::size_t layer = 0;
  Layer norm1{}, qkv{}, out{}, norm2{}, up{}, down{};
};
DecoderBlock decoder_block(const ParameterTable& table, std::size_t layer);

// Saves all of `tensors`. `y` may be tensors.x.
void block_forward(const UnitPass& pass, const DecoderBlock& block, const BlockTensors& tensors,
                   Array y);
// Forward up to the MLP's activation: all that backward needs, for full recomputation.
void block_recompute(const UnitPass& pass, const DecoderBlock& block, const BlockTensors& tensors);
// From qkv to o and lse alone, for selective recomputation.
void attention_recompute(const UnitPass& pass, std::size_t layer, const BlockTensors& tensors);

// scratch.dx: from the gradient of the block's result to that of its input. First that of the MLP's
// branch, then that of attention's, which needs `o` and `lse`.
void mlp_backward(const UnitPass& pass, const DecoderBlock& block, const BlockTensors& tensors,
                  const Scratch& scratch);
void attention_backward(const UnitPass& pass, const DecoderBlock& block,
                        const BlockTensors& tensors, const Scratch& scratch);

// Queries, keys and values of `joined`, which lie side by side at each position.
struct Qkv {
  Array q{}, k{}, v{};
};
inline Qkv parts_of(const ModelConfig& model, Array joined) {
  return {joined, joined.from(model.q_hidden()), joined.from(model.q_hidden() + model.kv_hidden())};
}
Attention attention_of(const UnitPass& pass, const BlockTensors& tensors);

}  // namespace linerate::trainers
