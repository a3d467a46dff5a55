#include "model/training_flops.h"

namespace linerate {
namespace {

bool is_causal(FlopsConvention convention) {
  return convention == FlopsConvention::palm_causal ||
         convention == FlopsConvention::matrices_causal;
}

bool counts_all_parameters(FlopsConvention convention) {
  return convention == FlopsConvention::palm || convention == FlopsConvention::palm_causal;
}

std::uint64_t block_elements(const DecoderSizes& sizes) {
  const std::uint64_t hidden = sizes.hidden;
  const auto attention = hidden * (hidden + 2 * sizes.kv_hidden()) + hidden * hidden;
  return attention + (sizes.gated ? 3 : 2) * hidden * sizes.mlp;
}

// Forward of the scores, and of what they weight: each 2 h s in a layer, half of it causal.
double attention_forward(const DecoderSizes& sizes, FlopsConvention convention) {
  const auto unmasked = 4.0 * static_cast<double>(sizes.layers) *
                        static_cast<double>(sizes.hidden) * static_cast<double>(sizes.length);
  return is_causal(convention) ? unmasked / 2 : unmasked;
}

}  // namespace

std::string_view name_of(FlopsConvention convention) {
  switch (convention) {
    case FlopsConvention::palm:
      return "palm";
    case FlopsConvention::palm_causal:
      return "palm-causal";
    case FlopsConvention::matrices:
      return "matrices";
    case FlopsConvention::matrices_causal:
      return "matrices-causal";
  }
  __builtin_unreachable();
}

std::uint64_t matrix_elements(const DecoderSizes& sizes) {
  return sizes.layers * block_elements(sizes) + std::uint64_t{sizes.hidden} * sizes.vocabulary;
}

// Backward takes twice as much as forward: a gradient for either factor of each product.
double model_flops_per_token(const DecoderSizes& sizes, FlopsConvention convention) {
  const auto elements =
      counts_all_parameters(convention) ? std::uint64_t{sizes.parameters} : matrix_elements(sizes);
  return 6 * static_cast<double>(elements) + 3 * attention_forward(sizes, convention);
}

double hardware_flops_per_token(const DecoderSizes& sizes, FlopsConvention convention,
                                Recomputed recomputed) {
  auto flops = model_flops_per_token(sizes, convention);
  if (recomputed != Recomputed::none) flops += attention_forward(sizes, convention);
  if (recomputed == Recomputed::blocks)
    flops += 2 * static_cast<double>(sizes.layers * block_elements(sizes));
  return flops;
}

double utilisation(double flops_per_token, double tokens_per_s, double peak_flops_per_s) {
  return flops_per_token * tokens_per_s / peak_flops_per_s;
}

}  // namespace linerate
