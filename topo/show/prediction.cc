// See prediction.h.
#include "topo/show/prediction.h"

#include "base/units.h"

#include <fmt/format.h>

#include <array>

namespace linerate::topo {
namespace {

std::string set_text(std::string_view name, const ChannelSet& set) {
  if (set.nchannels() == 0) return {};
  auto text = fmt::format("  {:<13} {:3} x {:>5g} GB/s ({})", name, set.nchannels(), set.intra_gbps,
                          name_of(set.intra_type));
  if (set.inter_type != PathType::loc && set.inter_gbps > 0 && set.channels.front().net_in >= 0)
    text += fmt::format(", between nodes {:g} GB/s ({})", set.inter_gbps, name_of(set.inter_type));
  if (set.simple_order) text += ": NCCL finds no path for it and takes the simple order";
  return text + '\n';
}

std::string channels_text(const JobShape& job) {
  constexpr std::array kSets{Algorithm::ring, Algorithm::tree, Algorithm::nvls,
                             Algorithm::collnet_chain, Algorithm::collnet_direct};
  auto text = fmt::format("NCCL {}, {} ranks on {} node{}, channels found:\n", text_of(job.version),
                          job.nranks, job.nnodes, job.nnodes == 1 ? "" : "s");
  for (const auto algorithm : kSets) text += set_text(name_of(algorithm), job.of(algorithm));
  text += fmt::format("  collectives run on {} channels", job.coll_channels);
  if (job.nvls) text += fmt::format(", NVLS on {}", job.nvls_channels);
  return text + "\n\n";
}

std::string row(const Prediction& p) {
  return fmt::format("{:>14} {:>14} {:>8} {:>8} {:>14.2f} {:>10.2f} {:>10.2f}\n", p.bytes,
                     name_of(p.algorithm), name_of(p.protocol), p.channels, p.time_us, p.algbw_gbps,
                     p.busbw_gbps);
}

std::string crossovers_text(const Predictor& predictor, const PredictionRange& range) {
  const auto all =
      predictor.crossovers(range.function, range.min_bytes, range.max_bytes, range.reduced);
  std::string text = "\nchoices:\n";
  for (const auto& change : all)
    text += fmt::format("  from {:>12}: {}/{}\n", about_bytes_text(change.bytes),
                        name_of(change.algorithm), name_of(change.protocol));
  return text;
}

}  // namespace

std::string prediction_text(const JobShape& job, const PredictionRange& range) {
  const Predictor predictor(job);
  auto text = channels_text(job);
  text += fmt::format(
      "{:>14} {:>14} {:>8} {:>8} {:>14} {:>10} {:>10}\n{:>14} {:>14} {:>8} {:>8} "
      "{:>14} {:>10} {:>10}\n",
      name_of(range.function), "algorithm", "protocol", "channels", "time", "algbw", "busbw", "(B)",
      "", "", "", "(us)", "(GB/s)", "(GB/s)");
  const auto factor = static_cast<std::size_t>(range.step_factor);
  for (std::size_t bytes = range.min_bytes;; bytes *= factor) {
    text += row(predictor.predict(range.function, bytes, range.reduced));
    if (bytes > range.max_bytes / factor) break;
  }
  return text + crossovers_text(predictor, range);
}

}  // namespace linerate::topo
