// A Markov chain of order 1: what follows a token depends on that token alone. Its entropy rate is
// known, so that a model's loss has a floor, which no model gets below and one that learns reaches.
#pragma once

#include "trainers/data/source.h"

#include <span>
#include <vector>

namespace linerate::trainers {

class MarkovSource final : public Source {
 public:
  // Each token is followed by one of this many others, or by any where the vocabulary is smaller.
  static constexpr std::size_t kSuccessors = 8;

  // `seed` chooses the chain, and the sequences. REQUIRES: options.vocabulary > 1.
  explicit MarkovSource(const SourceOptions& options);

  std::optional<double> entropy() const override { return entropy_; }
  void tokens(std::uint64_t sequence, std::span<std::int32_t> out) const override;

  // What may follow `token`, and how probable each is.
  std::span<const std::int32_t> successors(std::size_t token) const;
  std::vector<double> probabilities(std::size_t token) const;
  // How often each token occurs; a sequence begins like this.
  const std::vector<double>& stationary() const { return stationary_; }

 private:
  void choose_row(std::size_t token);
  double entropy_of_row(std::size_t token) const;
  std::vector<double> after(const std::vector<double>& before) const;
  std::int32_t first_token(double fraction) const;
  std::int32_t next_token(std::size_t token, std::uint64_t random) const;

  const std::uint64_t seed_;
  const std::size_t width_;  // of a row
  std::vector<std::int32_t> successors_;
  std::vector<std::uint32_t> cumulative_;  // weights of a row's successors up to and with this one
  std::vector<double> stationary_, cumulative_stationary_;
  double entropy_ = 0;
};

}  // namespace linerate::trainers
