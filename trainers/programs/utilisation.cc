#include "trainers/programs/utilisation.h"

#include "trainers/memory/arena.h"
#include "trainers/model/parameters.h"

#include <algorithm>
#include <cstdint>
#include <span>

namespace linerate {
namespace {

constexpr std::size_t kSide = 768;  // long enough for OpenBLAS's best, and 20 ms of a slow core
constexpr int kProducts = 8;

// Of the best of a few square products. All ranks call it at once, so that each has its share of
// the machine.
double rank_peak_flops(RankContext& rank, DataType type, Math& math) {
  trainers::Arena arena(rank.device());
  Stream& stream = rank.stream();
  const auto matrices = arena.allocate(trainers::Category::activation, type, 3 * kSide * kSide);
  arena.device().zero(matrices.view(), stream);
  const auto matrix = [&](std::size_t index) {
    return matrices.array(type).from(index * kSide * kSide);
  };
  double best = 0;
  for (int i = 0; i < kProducts; ++i) {
    stream.synchronize(Deadline::never());
    const auto start_ns = rank.clock().now_ns();
    math.gemm({.m = kSide,
               .n = kSide,
               .k = kSide,
               .a = matrix(0),
               .b = matrix(1),
               .c = matrix(2),
               .lda = kSide,
               .ldb = kSide,
               .ldc = kSide},
              stream);
    stream.synchronize(Deadline::never());
    const auto took_ns = std::max<std::int64_t>(1, rank.clock().now_ns() - start_ns);
    best = std::max(best, 2.0 * kSide * kSide * kSide / static_cast<double>(took_ns) * 1e9);
  }
  return best;
}

}  // namespace

double measured_peak_flops(RankContext& rank, DataType type, Math& math) {
  rank.align();
  double sum = rank_peak_flops(rank, type, math);
  const View view = std::as_writable_bytes(std::span(&sum, 1));
  rank.world().all_reduce({.send = view, .recv = view, .count = 1, .type = DataType::float64}, {},
                          rank.stream());
  rank.stream().synchronize(Deadline::never());
  return sum;
}

Utilisation utilisation_of(const trainers::TrainConfig& train, double tokens_per_s,
                           double peak_flops) {
  const auto sizes = trainers::decoder_sizes(train.model);
  constexpr auto kConvention = FlopsConvention::palm;
  const auto recomputed = static_cast<Recomputed>(train.recompute);
  return {.mfu = utilisation(model_flops_per_token(sizes, kConvention), tokens_per_s, peak_flops),
          .hfu = utilisation(hardware_flops_per_token(sizes, kConvention, recomputed), tokens_per_s,
                             peak_flops)};
}

}  // namespace linerate
