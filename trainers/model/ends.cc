#include "trainers/model/ends.h"

#include <cassert>
#include <cstdint>

namespace linerate::trainers {

Embeddings embeddings_of(const ParameterTable& table) {
  const auto token = table.index_of("embedding.token.weight");
  assert(token);
  return {.token = *token, .position = table.index_of("embedding.position.weight")};
}

void embeddings_forward(const UnitPass& pass, const Embeddings& embeddings, Array x) {
  const auto positions = embeddings.position ? pass.parameter(*embeddings.position) : Array{};
  pass.math.embedding_forward(x, pass.parameter(embeddings.token), positions, pass.batch.tokens,
                              pass.config.length, pass.config.hidden, pass.stream);
  pass.drop(UnitPass::kEmbeddingDropout, x, x);
}

void embeddings_backward(const UnitPass& pass, const Embeddings& embeddings,
                         const Scratch& scratch) {
  const auto positions = embeddings.position ? pass.gradient(*embeddings.position) : Array{};
  pass.drop(UnitPass::kEmbeddingDropout, scratch.dx, scratch.dx);
  pass.math.embedding_backward(pass.gradient(embeddings.token), positions, scratch.dx,
                               pass.batch.tokens, pass.config.length, pass.config.hidden,
                               pass.stream);
  if (embeddings.position) pass.finish(*embeddings.position);
  pass.finish(embeddings.token);
}

void head_forward(const UnitPass& pass, const TiedHead& head, const HeadTensors& t) {
  const auto& model = pass.config;
  pass.normalise(head.norm, t.norm, t.x);
  pass.math.gemm({.m = pass.rows(),
                  .n = model.vocabulary,
                  .k = model.hidden,
                  .a = t.norm.y,
                  .b = head.weight,
                  .c = t.logits,
                  .transpose_b = true,
                  .lda = model.hidden,
                  .ldb = model.hidden,
                  .ldc = model.vocabulary},
                 pass.stream);
}

void head_losses(const UnitPass& pass, const HeadTensors& t, double scale) {
  const auto vocabulary = pass.config.vocabulary;
  pass.math.cross_entropy({.rows = pass.rows(),
                           .vocabulary = vocabulary,
                           .stride = vocabulary,
                           .logits = t.logits,
                           .targets = pass.batch.targets.data(),
                           .losses = reinterpret_cast<double*>(t.losses.data),
                           .hits = reinterpret_cast<std::uint8_t*>(t.hits.data)},
                          scale, pass.stream);
}

void head_backward(const UnitPass& pass, const TiedHead& head, const HeadTensors& t,
                   const Scratch& scratch) {
  const auto& model = pass.config;
  pass.math.gemm({.m = pass.rows(),
                  .n = model.hidden,
                  .k = model.vocabulary,
                  .a = t.logits,
                  .b = head.weight,
                  .c = scratch.dnarrow,
                  .lda = model.vocabulary,
                  .ldb = model.hidden,
                  .ldc = model.hidden},
                 pass.stream);
  pass.normalise_backward(head.norm, t.norm, t.x, scratch);
  pass.math.gemm({.m = model.vocabulary,
                  .n = model.hidden,
                  .k = pass.rows(),
                  .a = t.logits,
                  .b = t.norm.y,
                  .c = head.gradient,
                  .transpose_a = true,
                  .lda = model.vocabulary,
                  .ldb = model.hidden,
                  .ldc = model.hidden,
                  .accumulates = true},
                 pass.stream);
}

}  // namespace linerate::trainers
