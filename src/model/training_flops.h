// Floating-point operations of training a decoder, per token, by the conventions in use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace linerate {

struct DecoderSizes {
  std::size_t layers = 0, hidden = 0, heads = 0, kv_heads = 0;
  std::size_t mlp = 0;  // width
  std::size_t length = 0, vocabulary = 0;
  bool gated = false;          // SwiGLU: three matrices in the MLP, not two
  std::size_t parameters = 0;  // all of them; a tied head once

  // Width of the keys, and of the values.
  std::size_t kv_hidden() const { return heads == 0 ? 0 : hidden / heads * kv_heads; }
};

// Published MFUs of different conventions do not compare.
enum class FlopsConvention : std::uint8_t {
  palm,            // 6 N + 12 L h s (Chowdhery et al. 2022): N all parameters, attention unmasked
  palm_causal,     // 6 N + 6 L h s: what the mask leaves of attention (llm.c, torchtitan today)
  matrices,        // 6 per element of a multiplied matrix + 12 L h s (Narayanan et al. 2021, eq. 3)
  matrices_causal  // the same + 6 L h s
};
// "palm", "palm-causal", "matrices", "matrices-causal".
std::string_view name_of(FlopsConvention convention);

// Elements of the matrices that each token is multiplied with: no embedding, norm or bias, but the
// head, tied or not.
std::uint64_t matrix_elements(const DecoderSizes& sizes);

// Of forward and backward, without what is computed again: the numerator of MFU.
double model_flops_per_token(const DecoderSizes& sizes, FlopsConvention convention);

// What backward computes once more.
enum class Recomputed : std::uint8_t { none, attention, blocks };

// The same with it: the numerator of HFU. A second forward of all blocks adds 2 per element of
// their matrices and attention's products; one of attention alone these: 4 L h s, or 2 L h s
// causal. Korthikanti et al. 2022 count the latter three times, 12 L h s.
double hardware_flops_per_token(const DecoderSizes& sizes, FlopsConvention convention,
                                Recomputed recomputed);

// Share of the peak of all ranks together: MFU of model FLOPs, HFU of hardware FLOPs.
double utilisation(double flops_per_token, double tokens_per_s, double peak_flops_per_s);

}  // namespace linerate
