#include "trainers/model/tensor_parallel.h"

#include <fmt/format.h>

#include <cassert>
#include <numeric>

namespace linerate::trainers {
namespace {

// More terms than these are smaller than what a core likes to multiply.
constexpr std::size_t kMaxLeaves = 16;

std::size_t begin_of(const TensorShare& share, std::size_t count, std::size_t leaf) {
  return count * leaf / share.leaves;
}

}  // namespace

Range TensorShare::leaf(std::size_t count, std::size_t leaf) const {
  const auto begin = begin_of(*this, count, first() + leaf);
  return {begin, begin_of(*this, count, first() + leaf + 1) - begin};
}

Range TensorShare::all(std::size_t count) const {
  const auto begin = begin_of(*this, count, first());
  return {begin, begin_of(*this, count, first() + own()) - begin};
}

ModelConfig model_of_share(const ModelConfig& whole, const TensorShare& share) {
  auto model = whole;
  model.head_size = whole.head();
  model.heads = share.all(whole.heads).count;
  model.kv_heads = share.kv_heads(whole.kv_heads).count;
  model.mlp = share.all(whole.mlp).count;
  model.vocabulary = share.all(whole.vocabulary).count;
  return model;
}

std::string numbers_that(std::size_t most, const std::function<bool(std::size_t)>& fit) {
  std::string numbers;
  for (std::size_t number = 1; number <= most; ++number)
    if (fit(number)) numbers += fmt::format("{}{}", numbers.empty() ? "" : ", ", number);
  return numbers;
}

std::size_t canonical_leaves(const ModelConfig& whole) {
  const auto heads = std::gcd(whole.heads, whole.kv_heads);
  auto leaves = std::min(heads, kMaxLeaves);
  while (heads % leaves != 0) --leaves;
  return leaves;
}

std::optional<std::string> tensor_refusal(const ModelConfig& whole, std::size_t nranks,
                                          bool deterministic) {
  const auto fits = [&](std::size_t size) {
    const bool kv = whole.kv_heads % size == 0 || size % whole.kv_heads == 0;
    return whole.heads % size == 0 && kv && size <= whole.vocabulary &&
           (!deterministic || canonical_leaves(whole) % size == 0);
  };
  if (fits(nranks)) return {};
  return fmt::format(
      "--tp {} does not divide the {} heads of {}, or neither divides nor is a multiple of its {} "
      "key "
      "and value heads{}; choices: {}.",
      nranks, whole.heads, whole.name, whole.kv_heads,
      deterministic ? fmt::format(", or the {} parts in which --deterministic adds them up",
                                  canonical_leaves(whole))
                    : "",
      numbers_that(whole.heads, fits));
}

std::string_view name_of(TensorSum what) {
  switch (what) {
    case TensorSum::embedding:
      return "embedding";
    case TensorSum::forward:
      return "forward";
    case TensorSum::backward:
      return "backward";
    case TensorSum::cross_entropy:
      return "cross entropy";
    case TensorSum::norm_weight:
      return "norm weight";
    case TensorSum::keys_and_values:
      return "keys and values";
  }
  __builtin_unreachable();
}

void TensorParallel::all_reduce(Array, std::size_t, TensorSum, Stream&) {}

void TensorParallel::sum(Array y, std::size_t, TensorSum, const Term& term, Stream&) {
  assert(share_.whole());
  term(0, y);
}

// One rank has all rows, and no copies.

void TensorParallel::sum_scattered(Array, std::size_t, TensorSum, const Term&, Stream&) {
  assert(share_.splits_rows);
}

void TensorParallel::reduce_scatter(Array, Array, std::size_t, TensorSum, Stream&) {
  assert(share_.splits_rows);
}

void TensorParallel::gather(Array, Array, std::size_t, Stream&) { assert(share_.splits_rows); }

void TensorParallel::sum_over_copies(Array, std::size_t, Stream&) { assert(share_.nranks > 1); }

void TensorParallel::all_reduce_max(Array, std::size_t, Stream&) {}

}  // namespace linerate::trainers
