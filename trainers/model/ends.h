// The two ends of a decoder: token and position embeddings, and the head, which is tied to them.
#pragma once

#include "trainers/model/unit_pass.h"

#include <cstddef>
#include <optional>
#include <span>

namespace linerate::trainers {

struct Embeddings {
  std::size_t token = 0;
  std::optional<std::size_t> position{};  // learned positions, of GPT-2
};
Embeddings embeddings_of(const ParameterTable& table);
// The token embeddings, of this chunk or of the model's first one.
const Parameter& token_table(const ParameterTable& table);

void embeddings_forward(const UnitPass& pass, const Embeddings& embeddings, Array x);
// scratch.dx is the gradient of x; dropout overwrites it. `head`: where its part is added here.
void embeddings_backward(const UnitPass& pass, const Embeddings& embeddings, const HeadRows& head,
                         const Scratch& scratch);
// Of that of x behind its dropout, of all rows.
void tables_backward(const UnitPass& pass, const Embeddings& embeddings, const HeadRows& head,
                     Array dx);

// The table of token embeddings, which is the head's weight, and its gradient.
struct TiedHead {
  Layer norm{};
  std::span<const Parameter::Piece> pieces{};  // of the vocabulary, that this rank has
  Array weight{}, gradient{};
};
// Logits.
void head_forward(const UnitPass& pass, const TiedHead& head, const HeadTensors& tensors);
// Losses; logits become their gradient, times `scale`.
void head_losses(const UnitPass& pass, const HeadTensors& tensors, double scale);
// From the gradient of the logits to that of the head's x in scratch.dx, which is zero before.
void head_backward(const UnitPass& pass, const TiedHead& head, const HeadTensors& tensors,
                   const Scratch& scratch);

}  // namespace linerate::trainers
