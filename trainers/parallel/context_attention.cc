#include "trainers/parallel/context_attention.h"

#include "trainers/parallel/ring_attention.h"

namespace linerate::trainers {

ContextTools ContextAttention::tools(Stream& stream) const {
  return {.axis = *options_.axis,
          .math = math_,
          .compute = stream,
          .arena = arena_,
          .split = options_.split,
          .leaves = options_.leaves > 1 ? options_.leaves : 0};
}

void ContextAttention::forward(std::size_t layer, const Attention& mine, Stream& stream) {
  if (options_.axis == nullptr) return whole_forward({math_, arena_, stream}, mine, leaf_length());
  const auto with = tools(stream);
  if (!options_.exchanges_heads) return ring_attention_forward(with, mine);
  saved(layer).reset();
  ulysses_forward(with, mine, saved(layer).emplace(with, mine));
}

void ContextAttention::backward(std::size_t layer, const Attention& mine,
                                const AttentionSlopes& slopes, Stream& stream) {
  if (options_.axis == nullptr)
    return whole_backward({math_, arena_, stream}, mine, leaf_length(), slopes);
  if (options_.exchanges_heads)
    ulysses_backward(tools(stream), mine, *saved(layer), slopes);
  else
    ring_attention_backward(tools(stream), mine, slopes);
}

}  // namespace linerate::trainers
