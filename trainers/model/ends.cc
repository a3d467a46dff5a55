#include "trainers/model/ends.h"

#include <cassert>
#include <cstdint>

namespace linerate::trainers {
namespace {

// Of a part of the classes of every row; sums and targets' logits go to `to`, rows of each.
CrossEntropyPart classes_of(const CrossEntropy& all, Range part, std::size_t origin, Array most,
                            Array to) {
  CrossEntropyPart classes{.what = all,
                           .first = origin + part.offset,
                           .most = reinterpret_cast<double*>(most.data),
                           .sum = reinterpret_cast<double*>(to.data),
                           .own = reinterpret_cast<double*>(to.from(all.rows).data)};
  classes.what.logits = all.logits.from(part.offset);
  classes.what.vocabulary = part.count;
  return classes;
}

void losses_of_parts(const UnitPass& pass, const HeadTensors& t, const CrossEntropy& all,
                     double scale) {
  auto& tensor = pass.tensor;
  const auto& vocabulary = token_table(pass.table).pieces.front();
  const auto origin = vocabulary.origin;
  const auto own = classes_of(all, {0, all.vocabulary}, origin, t.most, t.sums);
  pass.math.largest_logits(own, pass.stream);
  tensor.largest(t.most, all.rows, pass.stream);
  tensor.sum(
      t.sums, 2 * all.rows, TensorSum::loss,
      [&](std::size_t leaf, Array to) {
        auto part = tensor.share().leaf(vocabulary.whole, leaf);
        part.offset -= origin;
        pass.math.sum_exponentials(classes_of(all, part, origin, t.most, to), pass.stream);
      },
      pass.stream);
  pass.math.cross_entropy_part(own, scale, pass.stream);
}

}  // namespace

Embeddings embeddings_of(const ParameterTable& table) {
  const auto token = table.index_of("embedding.token.weight");
  assert(token);
  return {.token = *token, .position = table.index_of("embedding.position.weight")};
}

const Parameter& token_table(const ParameterTable& table) {
  return table.tied ? *table.tied : table.parameters[embeddings_of(table).token];
}

// Each element is one rank's, but for the positions, which the first one adds: a sum of two, whose
// bits do not depend on the order.
void embeddings_forward(const UnitPass& pass, const Embeddings& embeddings, Array x) {
  const bool adds_positions = embeddings.position && pass.tensor.share().rank == 0;
  const auto positions = adds_positions ? pass.parameter(*embeddings.position) : Array{};
  pass.math.embedding_forward(x, pass.parameter(embeddings.token), positions, pass.batch.tokens,
                              pass.config.length, pass.config.hidden, pass.stream);
  pass.tensor.all_reduce(x, pass.elements(), TensorSum::embedding, pass.stream);
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
  const CrossEntropy all{.rows = pass.rows(),
                         .vocabulary = vocabulary,
                         .stride = vocabulary,
                         .logits = t.logits,
                         .targets = pass.batch.targets.data(),
                         .losses = reinterpret_cast<double*>(t.losses.data),
                         .hits = reinterpret_cast<std::uint8_t*>(t.hits.data)};
  if (pass.tensor.share().whole())
    pass.math.cross_entropy(all, scale, pass.stream);
  else
    losses_of_parts(pass, t, all, scale);
}

void head_backward(const UnitPass& pass, const TiedHead& head, const HeadTensors& t,
                   const Scratch& scratch) {
  const auto& model = pass.config;
  pass.sum_products({.m = pass.rows(),
                     .n = model.hidden,
                     .k = model.vocabulary,
                     .a = t.logits,
                     .b = head.weight,
                     .c = scratch.dnarrow,
                     .lda = model.vocabulary,
                     .ldb = model.hidden,
                     .ldc = model.hidden},
                    head.pieces, TensorSum::backward);
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
