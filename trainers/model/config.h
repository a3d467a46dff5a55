// Which model is trained: its kind and its sizes.
#pragma once

#include "base/result.h"
#include "comm/math.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace linerate::trainers {

// A decoder. GPT-2's: LayerNorm, GELU, learned positions, biases. Llama's: RMSNorm, RoPE, SwiGLU,
// grouped queries, no biases. The head is tied to the token embedding in both.
struct ModelConfig {
  std::string name{};
  bool llama = false;
  std::size_t layers = 0, hidden = 0, heads = 0, kv_heads = 0, length = 0, vocabulary = 0;
  std::size_t mlp = 0;        // width of the MLP: 4 * hidden of GPT-2, some 8/3 * hidden of Llama
  double dropout = 0;         // probability that an element of the residual branches is dropped
  std::size_t head_size = 0;  // elements of a head; 0: the heads make up hidden

  std::size_t head() const { return head_size > 0 ? head_size : hidden / heads; }
  std::size_t q_hidden() const { return heads * head(); }
  std::size_t kv_hidden() const { return kv_heads * head(); }
  // Elements of a position in the joined queries, keys and values.
  std::size_t qkv() const { return q_hidden() + 2 * kv_hidden(); }
  // Elements of a position that the MLP's first projection yields: Llama's gate and up lie joined.
  std::size_t mlp_in() const { return llama ? 2 * mlp : mlp; }
  NormKind norm() const { return llama ? NormKind::rms : NormKind::layer; }
};

// nano, micro, mini, d12, d24, d36, d48, llama-mini: smallest first.
std::span<const ModelConfig> models();
// The model of this name; the sentence lists the choices.
Result<ModelConfig> model_named(std::string_view name);
// Nothing, or the sentence that says why there is no such model: zeros, heads that do not divide
// hidden, key and value heads that do not divide heads, an odd head with RoPE.
std::optional<std::string> model_refusal(const ModelConfig& model);

}  // namespace linerate::trainers
