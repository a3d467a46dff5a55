#include "trainers/data/markov.h"

#include "trainers/data/draws.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace linerate::trainers {
namespace {

constexpr std::uint32_t kMostWeight = 64;
constexpr std::uint64_t kSequences = 0x5e90e9ce;  // sets their draws apart from those of the table
constexpr double kConverged = 1e-14;              // of the sum of all changes

double change(const std::vector<double>& from, const std::vector<double>& to) {
  double sum = 0;
  for (std::size_t i = 0; i < from.size(); ++i) sum += std::abs(to[i] - from[i]);
  return sum;
}

}  // namespace

MarkovSource::MarkovSource(const SourceOptions& options)
    : Source("markov", options.vocabulary, options.length),
      seed_(options.seed),
      width_(std::min(kSuccessors, options.vocabulary)),
      successors_(options.vocabulary * width_),
      cumulative_(options.vocabulary * width_) {
  assert(vocabulary() > 1);
  for (std::size_t token = 0; token < vocabulary(); ++token) choose_row(token);

  const auto uniform = 1 / static_cast<double>(vocabulary());
  stationary_.assign(vocabulary(), uniform);
  for (int i = 0; i < 10000; ++i) {
    auto next = after(stationary_);
    const bool converged = change(stationary_, next) < kConverged;
    stationary_ = std::move(next);
    if (converged) break;
  }
  cumulative_stationary_.resize(vocabulary());
  std::partial_sum(stationary_.begin(), stationary_.end(), cumulative_stationary_.begin());
  for (std::size_t token = 0; token < vocabulary(); ++token)
    entropy_ += stationary_[token] * entropy_of_row(token);
}

// Each token can be followed by the next one, and token 0 by itself: so every token is reached from
// every other, and in any large number of steps, which makes the stationary distribution unique.
void MarkovSource::choose_row(std::size_t token) {
  const Draws draws(seed_, token);
  const auto row = std::span(successors_).subspan(token * width_, width_);
  row[0] = static_cast<std::int32_t>((token + 1) % vocabulary());
  std::size_t chosen = 1;
  if (token == 0) row[chosen++] = 0;
  for (std::uint64_t draw = 0; chosen < width_; ++draw) {
    const auto candidate = static_cast<std::int32_t>(draws.below(vocabulary(), draw));
    const auto end = row.begin() + static_cast<std::ptrdiff_t>(chosen);
    if (std::find(row.begin(), end, candidate) == end) row[chosen++] = candidate;
  }
  std::uint32_t total = 0;
  for (std::size_t i = 0; i < width_; ++i) {
    total += 1 + static_cast<std::uint32_t>(draws.below(kMostWeight, ~std::uint64_t{i}));
    cumulative_[token * width_ + i] = total;
  }
}

std::span<const std::int32_t> MarkovSource::successors(std::size_t token) const {
  return std::span(successors_).subspan(token * width_, width_);
}

std::vector<double> MarkovSource::probabilities(std::size_t token) const {
  const auto row = std::span(cumulative_).subspan(token * width_, width_);
  std::vector<double> shares(width_);
  std::uint32_t before = 0;
  for (std::size_t i = 0; i < width_; before = row[i++]) shares[i] = row[i] - before;
  for (auto& share : shares) share /= row.back();
  return shares;
}

double MarkovSource::entropy_of_row(std::size_t token) const {
  double sum = 0;
  for (const auto p : probabilities(token)) sum -= p * std::log(p);
  return sum;
}

std::vector<double> MarkovSource::after(const std::vector<double>& before) const {
  std::vector<double> after(vocabulary());
  for (std::size_t token = 0; token < vocabulary(); ++token) {
    const auto shares = probabilities(token);
    const auto next = successors(token);
    for (std::size_t i = 0; i < width_; ++i)
      after[static_cast<std::size_t>(next[i])] += before[token] * shares[i];
  }
  return after;
}

std::int32_t MarkovSource::first_token(double fraction) const {
  const auto at = std::ranges::upper_bound(cumulative_stationary_, fraction);
  const auto token = std::min(at, cumulative_stationary_.end() - 1);  // rounded sums may miss 1
  return static_cast<std::int32_t>(token - cumulative_stationary_.begin());
}

std::int32_t MarkovSource::next_token(std::size_t token, std::uint64_t random) const {
  const auto row = std::span(cumulative_).subspan(token * width_, width_);
  const auto drawn = (static_cast<unsigned __int128>(random) * row.back()) >> 64;
  std::size_t i = 0;
  while (drawn >= row[i]) ++i;
  return successors_[token * width_ + i];
}

void MarkovSource::tokens(std::uint64_t sequence, std::span<std::int32_t> out) const {
  const Draws draws(seed_ ^ kSequences, sequence);
  out[0] = first_token(draws.fraction(0));
  for (std::size_t i = 1; i < out.size(); ++i)
    out[i] = next_token(static_cast<std::size_t>(out[i - 1]), draws.at(i));
}

}  // namespace linerate::trainers
