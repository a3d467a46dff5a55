#include "trainers/model/sequence_share.h"

#include "trainers/model/tensor_parallel.h"

#include <fmt/format.h>

namespace linerate::trainers {

// Fewer rows than these leave no product worth calling.
constexpr std::size_t kMaxSequenceLeaves = 8;

std::size_t sequence_leaves(std::size_t length) {
  std::size_t leaves = kMaxSequenceLeaves;
  while (length % leaves != 0) leaves /= 2;
  return leaves;
}

SequenceShare sequence_share(std::size_t length, const ContextConfig& context, std::size_t rank) {
  const auto leaves = context.deterministic ? sequence_leaves(length) : 1;
  const auto parts = context.deterministic ? leaves : length;
  const bool zigzag = context.nranks > 1 && parts % (2 * context.nranks) == 0;
  return {.split = {.length = length, .ranks = context.nranks, .zigzag = zigzag},
          .rank = rank,
          .leaves = leaves};
}

std::optional<std::string> context_refusal(const ModelConfig& share, const ContextConfig& context) {
  const auto leaves = sequence_leaves(share.length);
  const bool by_heads = context.method == ContextMethod::ulysses;
  const auto fits = [&](std::size_t nranks) {
    return share.length % nranks == 0 && (!context.deterministic || leaves % nranks == 0) &&
           (!by_heads || (share.heads % nranks == 0 && share.kv_heads % nranks == 0));
  };
  if (fits(context.nranks)) return std::nullopt;
  return fmt::format(
      "--cp {} does not divide the {} positions of a sequence{}{}; choices: {}.", context.nranks,
      share.length,
      by_heads
          ? fmt::format(", or the {} heads and {} key and value heads that --cp-method ulysses "
                        "exchanges for them",
                        share.heads, share.kv_heads)
          : "",
      context.deterministic
          ? fmt::format(", or the {} parts in which --deterministic adds them up", leaves)
          : "",
      numbers_that(share.length, fits));
}

}  // namespace linerate::trainers
