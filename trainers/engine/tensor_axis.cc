#include "trainers/engine/tensor_axis.h"

#include "trainers/engine/tree_exchange.h"
#include "trainers/parallel/injected.h"
#include "trainers/parallel/tree_sum.h"

#include <cassert>
#include <numeric>
#include <utility>
#include <vector>

namespace linerate::trainers {
namespace {

// The leaves of each rank.
LeavesByRank leaves_by_rank(const TensorShare& share) {
  LeavesByRank by_rank(share.nranks, Leaves(share.own()));
  for (std::size_t rank = 0; rank < share.nranks; ++rank)
    std::iota(by_rank[rank].begin(), by_rank[rank].end(), rank * share.own());
  return by_rank;
}

std::vector<Array> arrays_in(const TreeSum& tree, DataType type) {
  std::vector<Array> arrays;
  for (const auto& [first, node] : tree.nodes()) arrays.push_back(node.second.array(type));
  return arrays;
}

}  // namespace

void TensorAxis::reduce(Array y, std::size_t count, RedOp op, std::string_view purpose,
                        Stream& stream) {
  if (axis_ == nullptr) return;
  auto& to = axis_->stream();
  to.wait(stream.record());
  const auto view = view_of(y, count);
  axis_->comm().all_reduce(
      {.send = view, .recv = view, .count = count, .type = y.type, .tag = axis_->tag(purpose)},
      {.op = op}, to);
  stream.wait(axis_->record());
}

void TensorAxis::all_reduce(Array y, std::size_t count, TensorSum what, Stream& stream) {
  reduce(y, count, RedOp::sum, name_of(what), stream);
}

void TensorAxis::sum_over_copies(Array y, std::size_t count, Stream& stream) {
  assert(copies_ != nullptr);
  auto& to = copies_->stream();
  to.wait(stream.record());
  const auto view = view_of(y, count);
  copies_->comm().all_reduce({.send = view,
                              .recv = view,
                              .count = count,
                              .type = y.type,
                              .tag = copies_->tag(name_of(TensorSum::keys_and_values))},
                             {}, to);
  stream.wait(copies_->record());
}

void TensorAxis::all_reduce_max(Array y, std::size_t count, Stream& stream) {
  reduce(y, count, RedOp::max, name_of(TensorSum::cross_entropy), stream);
}

void TensorAxis::sum(Array y, std::size_t count, TensorSum what, const Term& term, Stream& stream) {
  const bool by_rank = injected(Bug::adds_tensor_terms_by_rank);
  if (share().in_order && !share().whole() && !by_rank)
    return sum_up_the_tree(y, count, what, term, stream);
  term(0, y);
  // A rank has one leaf here, but where a test has several added up in this order.
  for (std::size_t leaf = 1; leaf < share().own(); ++leaf) {
    const auto more = arena_.allocate(Category::comm, y.type, count);
    term(leaf, more.array(y.type));
    math_.add(y, y, more.array(y.type), count, stream);
  }
  if (injected(Bug::skips_a_tensor_sum) && what == TensorSum::backward) return;
  all_reduce(y, count, what, stream);
}

TreeSum TensorAxis::own_terms(std::size_t count, DataType type, const Term& term, Stream& stream) {
  const auto& own = share();
  TreeSum tree(own.leaves, count, type);
  for (std::size_t leaf = 0; leaf < own.own(); ++leaf) {
    auto array = arena_.allocate(Category::comm, type, count);
    term(leaf, array.array(type));
    tree.add({0, own.first() + leaf}, std::move(array), math_, stream);
  }
  return tree;
}

void TensorAxis::sum_scattered(Array y, std::size_t count, TensorSum what, const Term& term,
                               Stream& stream) {
  if (!share().in_order) {
    const auto all = arena_.allocate(Category::comm, y.type, count);
    term(0, all.array(y.type));
    return reduce_scatter(y, all.array(y.type), count, what, stream);
  }
  assert(axis_ != nullptr);
  const auto part = count / share().nranks;
  const auto tree = own_terms(count, y.type, term, stream);
  const auto by_rank = leaves_by_rank(share());
  const TreeReduction reduction{.axis = *axis_,
                                .by_rank = by_rank,
                                .leaves = share().leaves,
                                .count = count,
                                .exchange = name_of(what)};
  TreeExchange exchange(
      reduction, arrays_in(tree, y.type),
      {.axis = *axis_, .math = math_, .compute = stream, .arena = arena_, .type = y.type});
  TreeSum sum(share().leaves, part, y.type);
  exchange.end(sum);
  arena_.device().copy(view_of(y, part), sum.take().view(), stream);
}

void TensorAxis::reduce_scatter(Array y, Array x, std::size_t count, TensorSum what,
                                Stream& stream) {
  assert(axis_ != nullptr);
  const auto part = count / share().nranks;
  auto& to = axis_->stream();
  to.wait(stream.record());
  axis_->comm().reduce_scatter({.send = view_of(x, count),
                                .recv = view_of(y, part),
                                .count = part,
                                .type = y.type,
                                .tag = axis_->tag(name_of(what))},
                               {}, to);
  stream.wait(axis_->record());
}

void TensorAxis::gather(Array all, Array own, std::size_t count, Stream& stream) {
  assert(axis_ != nullptr);
  const auto part = count / share().nranks;
  auto& to = axis_->stream();
  to.wait(stream.record());
  axis_->comm().all_gather({.send = view_of(own, part),
                            .recv = view_of(all, count),
                            .count = part,
                            .type = own.type,
                            .tag = axis_->tag(kRowGather)},
                           to);
  stream.wait(axis_->record());
}

// Counts are padded, so that the ranks divide them.
void TensorAxis::sum_up_the_tree(Array y, std::size_t count, TensorSum what, const Term& term,
                                 Stream& stream) {
  const auto& own = share();
  const auto padded = padded_count(count, own.nranks);
  auto tree = own_terms(padded, y.type, term, stream);
  Block sum;
  if (axis_ == nullptr) {
    sum = tree.take();
  } else {
    const auto mine = arrays_in(tree, y.type);
    const auto by_rank = leaves_by_rank(own);
    const auto purpose = name_of(what);
    const TreeReduction reduction{.axis = *axis_,
                                  .by_rank = by_rank,
                                  .leaves = own.leaves,
                                  .count = padded,
                                  .exchange = purpose,
                                  .gather = purpose};
    sum = arena_.allocate(Category::comm, y.type, padded);
    TreeAllReduce exchange(
        reduction, mine,
        {.axis = *axis_, .math = math_, .compute = stream, .arena = arena_, .type = y.type});
    exchange.end(sum.view());
    stream.wait(axis_->record());
  }
  arena_.device().copy(view_of(y, count), sum.view().first(count * bytes_of(y.type)), stream);
}

}  // namespace linerate::trainers
