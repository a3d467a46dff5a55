#include "trainers/model/ends.h"

#include "trainers/parallel/injected.h"

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
  tensor.all_reduce_max(t.most, all.rows, pass.stream);
  tensor.sum(
      t.sums, 2 * all.rows, TensorSum::cross_entropy,
      [&](std::size_t leaf, Array to) {
        auto part = tensor.share().leaf(vocabulary.whole, leaf);
        part.offset -= origin;
        pass.math.sum_exponentials(classes_of(all, part, origin, t.most, to), pass.stream);
      },
      pass.stream);
  pass.math.cross_entropy_part(own, scale, pass.stream);
}

// Of the head's product with these rows, whose logits are their gradient.
void add_to_tied_weight(const UnitPass& pass, const HeadRows& head, Array gradient, Range rows) {
  const auto& model = pass.config;
  pass.math.gemm({.m = model.vocabulary,
                  .n = model.hidden,
                  .k = rows.count,
                  .a = head.logits.from(rows.offset * model.vocabulary),
                  .b = head.inputs.from(rows.offset * model.hidden),
                  .c = gradient,
                  .transpose_a = true,
                  .lda = model.vocabulary,
                  .ldb = model.hidden,
                  .ldc = model.hidden,
                  .accumulates = true},
                 pass.stream);
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
  const auto columns = pass.config.hidden;
  const bool splits = pass.tensor.share().splits_rows;
  const auto count = pass.rows() * columns;
  const auto memory = splits ? pass.arena.allocate(Category::comm, x.type, count) : Block();
  const auto all = splits ? memory.array(x.type) : x;
  each_run(pass.sequence, {0, pass.rows()}, [&](const RowRun& run) {
    const auto position =
        injected(Bug::positions_within_rank) ? run.first % pass.config.length : run.position;
    pass.math.embedding_forward(all.from(run.first * columns), pass.parameter(embeddings.token),
                                positions ? positions.from(position * columns) : Array{},
                                pass.batch.tokens.subspan(run.first, run.count), run.count, columns,
                                pass.stream);
  });
  if (splits)
    pass.tensor.reduce_scatter(x, all, count, TensorSum::embedding, pass.stream);
  else
    pass.tensor.all_reduce(x, count, TensorSum::embedding, pass.stream);
  pass.drop(UnitPass::kEmbeddingDropout, x, x);
}

void embeddings_backward(const UnitPass& pass, const Embeddings& embeddings, const HeadRows& head,
                         const Scratch& scratch) {
  pass.drop(UnitPass::kEmbeddingDropout, scratch.dx, scratch.dx);
  if (pass.later != nullptr) {
    const auto dx = pass.later->allocate(pass.arena, scratch.dx.type, pass.elements());
    pass.arena.device().copy(view_of(dx, pass.elements()), view_of(scratch.dx, pass.elements()),
                             pass.stream);
    return;
  }
  Block memory;
  tables_backward(pass, embeddings, head, pass.gathered(scratch.dx, memory));
}

void tables_backward(const UnitPass& pass, const Embeddings& embeddings, const HeadRows& head,
                     Array dx) {
  const auto columns = pass.config.hidden;
  pass.accumulate({.weight = embeddings.token, .bias = embeddings.position},
                  [&](Range rows, Array tokens, Array positions) {
                    if (pass.ties_by_rows) add_to_tied_weight(pass, head, tokens, rows);
                    each_run(pass.sequence, rows, [&](const RowRun& run) {
                      pass.math.embedding_backward(
                          tokens, positions ? positions.from(run.position * columns) : Array{},
                          dx.from(run.first * columns),
                          pass.batch.tokens.subspan(run.first, run.count), run.count, columns,
                          pass.stream);
                    });
                  });
}

void head_forward(const UnitPass& pass, const TiedHead& head, const HeadTensors& t) {
  const auto& model = pass.config;
  pass.normalise(head.norm, t.norm, t.x);
  if (t.inputs.data != t.norm.y.data)
    pass.tensor.gather(t.inputs, t.norm.y, pass.rows() * model.hidden, pass.stream);
  pass.math.gemm({.m = pass.rows(),
                  .n = model.vocabulary,
                  .k = model.hidden,
                  .a = t.inputs,
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
  if (!pass.ties_by_rows)
    add_to_tied_weight(pass, {t.logits, t.inputs}, head.gradient, {0, pass.rows()});
}

}  // namespace linerate::trainers
