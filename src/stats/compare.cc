// Ranks are doubled, so that those of ties are whole numbers too; sums are then counted exactly.
#include "stats/compare.h"

#include "stats/summary.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace linerate::stats {
namespace {

constexpr double kIntervalLevel = 0.05;
// Up to here all ways to choose sides are counted: of 100 runs of each side in blocks of four in
// 0.1 s for a case. Beyond, the normal approximation differs from them by less than one in ten of a
// p of 0.001.
constexpr std::size_t kMostOfBlock = 26, kMostOfAll = 200;
constexpr int kHalvings = 40;  // of an interval of logarithms: to 1e-12

struct LogBlock {
  std::vector<double> a{}, b{};
};

struct LogBlocks {
  std::vector<LogBlock> blocks{};
  Level level = Level::with_neighbours;
};

std::vector<LogBlock> logarithms(std::span<const Block> blocks) {
  const auto logs = [](const std::vector<double>& values) {
    std::vector<double> out;
    for (const double value : values) {
      assert(value > 0);
      out.push_back(std::log(value));
    }
    return out;
  };
  std::vector<LogBlock> out;
  for (const auto& block : blocks)
    if (!block.a.empty() && !block.b.empty()) out.push_back({logs(block.a), logs(block.b)});
  return out;
}

// The doubled ranks of one block among all aligned values: those of B first.
struct RankedBlock {
  std::size_t nb = 0;
  std::vector<int> doubled{};
};

struct Aligned {
  double value = 0;
  std::size_t block = 0, place = 0;
};

// Values that differ by rounding alone are ties.
bool tied(double one, double other) { return std::abs(one - other) < 1e-12; }

// A block's values after B's were lowered by `shift`: those of B first.
std::vector<double> shifted(const LogBlock& block, double shift) {
  std::vector<double> values;
  for (const double b : block.b) values.push_back(b - shift);
  values.insert(values.end(), block.a.begin(), block.a.end());
  return values;
}

// Of block i, and of its neighbours where four runs alone would follow each mode and outlier.
double level_around(const LogBlocks& all, std::size_t i, double shift) {
  const std::size_t beside = all.level == Level::of_block ? 0 : 1;
  std::vector<double> around;
  for (auto j = i - std::min(i, beside); j < std::min(i + beside + 1, all.blocks.size()); ++j) {
    const auto values = shifted(all.blocks[j], shift);
    around.insert(around.end(), values.begin(), values.end());
  }
  return median(std::move(around));
}

std::vector<Aligned> aligned_values(const LogBlocks& all, double shift,
                                    std::vector<RankedBlock>& ranked) {
  std::vector<Aligned> values;
  for (std::size_t i = 0; i < all.blocks.size(); ++i) {
    const auto block = shifted(all.blocks[i], shift);
    const double level = level_around(all, i, shift);
    for (std::size_t place = 0; place < block.size(); ++place)
      values.push_back({block[place] - level, i, place});
    ranked.push_back({all.blocks[i].b.size(), std::vector<int>(block.size())});
  }
  return values;
}

// After B's logarithms were lowered by `shift`.
std::vector<RankedBlock> ranks_of(const LogBlocks& all, double shift) {
  std::vector<RankedBlock> ranked;
  auto values = aligned_values(all, shift, ranked);
  std::ranges::sort(values, {}, &Aligned::value);
  for (std::size_t first = 0, last = 0; first < values.size(); first = last) {
    while (last < values.size() && tied(values[first].value, values[last].value)) ++last;
    const int doubled = static_cast<int>(first + 1 + last);  // twice the mean of first+1 … last
    for (auto i = first; i < last; ++i) ranked[values[i].block].doubled[values[i].place] = doubled;
  }
  return ranked;
}

int observed_sum(std::span<const RankedBlock> blocks) {
  int sum = 0;
  for (const auto& block : blocks)
    sum = std::accumulate(block.doubled.begin(),
                          block.doubled.begin() + static_cast<std::ptrdiff_t>(block.nb), sum);
  return sum;
}

// What the sum is on average over all ways to choose sides.
double mean_sum(std::span<const RankedBlock> blocks) {
  double mean = 0;
  for (const auto& block : blocks)
    mean += static_cast<double>(block.nb) *
            std::accumulate(block.doubled.begin(), block.doubled.end(), 0.0) /
            static_cast<double>(block.doubled.size());
  return mean;
}

double variance_of_sum(std::span<const RankedBlock> blocks) {
  double variance = 0;
  for (const auto& block : blocks) {
    const auto n = static_cast<double>(block.doubled.size());
    const auto nb = static_cast<double>(block.nb);
    const double mean = std::accumulate(block.doubled.begin(), block.doubled.end(), 0.0) / n;
    double squares = 0;
    for (const int rank : block.doubled) squares += (rank - mean) * (rank - mean);
    variance += nb * (n - nb) / n * squares / (n - 1);
  }
  return variance;
}

// How likely each sum of nb of the block's ranks is, by the sum.
std::vector<double> sums_of(const RankedBlock& block) {
  const int total = std::accumulate(block.doubled.begin(), block.doubled.end(), 0);
  const auto width = static_cast<std::size_t>(total) + 1;
  std::vector<std::vector<double>> ways(block.nb + 1, std::vector<double>(width));
  ways[0][0] = 1;
  for (const int rank : block.doubled)
    for (std::size_t chosen = block.nb; chosen > 0; --chosen)
      for (std::size_t sum = width - 1; sum >= static_cast<std::size_t>(rank); --sum)
        ways[chosen][sum] += ways[chosen - 1][sum - static_cast<std::size_t>(rank)];
  auto& likely = ways[block.nb];
  const double all = std::accumulate(likely.begin(), likely.end(), 0.0);
  for (double& way : likely) way /= all;
  return std::move(likely);
}

std::vector<double> sums_of(std::span<const RankedBlock> blocks) {
  std::vector<double> all{1};
  for (const auto& block : blocks) {
    const auto one = sums_of(block);
    std::vector<double> both(all.size() + one.size() - 1);
    for (std::size_t i = 0; i < one.size(); ++i) {
      if (one[i] == 0) continue;
      for (std::size_t j = 0; j < all.size(); ++j) both[i + j] += one[i] * all[j];
    }
    all = std::move(both);
  }
  return all;
}

struct Tails {
  double low = 1, high = 1;  // that a sum is as small as this one, and as large

  double two_sided() const { return std::min(1.0, 2 * std::min(low, high)); }
};

bool countable(std::span<const RankedBlock> blocks) {
  std::size_t all = 0;
  for (const auto& block : blocks) {
    if (block.doubled.size() > kMostOfBlock) return false;
    all += block.doubled.size();
  }
  return all <= kMostOfAll;
}

double normal_tail(double z) { return std::erfc(z / std::numbers::sqrt2) / 2; }

Tails approximate_tails(std::span<const RankedBlock> blocks) {
  const double variance = variance_of_sum(blocks);
  if (variance <= 0) return {};
  const double above = observed_sum(blocks) - mean_sum(blocks);
  const double step = 1;  // of doubled ranks, half the distance between two sums without ties
  return {normal_tail((-above - step) / std::sqrt(variance)),
          normal_tail((above - step) / std::sqrt(variance))};
}

// The test at one shift after the other. One block without ties has the same ranks at all of them,
// whose sums are counted once.
class RankTest {
 public:
  explicit RankTest(const LogBlocks& blocks) : blocks_(blocks) {}

  double two_sided_p(double shift) {
    const auto ranked = ranks_of(blocks_, shift);
    if (!countable(ranked)) return approximate_tails(ranked).two_sided();
    const auto& likely = sums(ranked);
    const auto at = likely.begin() + observed_sum(ranked);
    return Tails{std::accumulate(likely.begin(), at + 1, 0.0),
                 std::accumulate(at, likely.end(), 0.0)}
        .two_sided();
  }

 private:
  const std::vector<double>& sums(std::span<const RankedBlock> ranked) {
    std::vector<int> ranks;
    for (const auto& block : ranked) {
      const auto first = ranks.insert(ranks.end(), block.doubled.begin(), block.doubled.end());
      std::sort(first, ranks.end());
    }
    if (ranks == counted_) return likely_;
    counted_ = std::move(ranks);
    return likely_ = sums_of(ranked);
  }

  const LogBlocks& blocks_;
  std::vector<int> counted_;
  std::vector<double> likely_;
};

// Where `holds` turns from true, at `inside`, to false, at `outside`.
template <typename Predicate>
double edge_between(double inside, double outside, Predicate holds) {
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (inside + outside) / 2;
    (holds(middle) ? inside : outside) = middle;
  }
  return (inside + outside) / 2;
}

// The sum falls as the shift grows; it is level where it is in balance.
double balanced_shift(const LogBlocks& blocks, double limit) {
  const auto above = [&](double shift) {
    const auto ranked = ranks_of(blocks, shift);
    return observed_sum(ranked) - mean_sum(ranked);
  };
  const double last_above = edge_between(-limit, limit, [&](double s) { return above(s) > 0; });
  const double first_below = edge_between(limit, -limit, [&](double s) { return above(s) < 0; });
  return (last_above + first_below) / 2;
}

// Beyond every shift that a difference between two values asks for.
double limit_of(std::span<const LogBlock> blocks) {
  double limit = 0;
  for (const auto& block : blocks) {
    const auto a = std::ranges::minmax(block.a), b = std::ranges::minmax(block.b);
    limit = std::max({limit, std::abs(b.max - a.min), std::abs(b.min - a.max)});
  }
  return 2 * limit + 1;
}

}  // namespace

Effect effect_of(std::span<const Block> blocks, Level level) {
  const LogBlocks logs{.blocks = logarithms(blocks), .level = level};
  Effect effect;
  if (logs.blocks.empty()) return effect;
  const double limit = limit_of(logs.blocks);
  const double shift = balanced_shift(logs, limit);
  effect.ratio = std::exp(shift);
  RankTest test(logs);
  effect.p = test.two_sided_p(0);
  const auto kept = [&](double s) { return test.two_sided_p(s) > kIntervalLevel; };
  if (!kept(-limit)) effect.low = std::exp(edge_between(shift, -limit, kept));
  if (!kept(limit)) effect.high = std::exp(edge_between(shift, limit, kept));
  return effect;
}

std::vector<double> adjusted(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](std::size_t i) { return p[i]; });
  std::vector<double> out(p.size());
  double smallest = 1;
  for (std::size_t rank = p.size(); rank > 0; --rank) {
    const auto i = order[rank - 1];
    smallest = std::min(smallest, p[i] * static_cast<double>(p.size()) / static_cast<double>(rank));
    out[i] = smallest;
  }
  return out;
}

std::string_view name_of(Difference difference) {
  switch (difference) {
    case Difference::same:
      return "SAME";
    case Difference::faster:
      return "FASTER";
    case Difference::slower:
      return "SLOWER";
    case Difference::unsure:
      return "UNSURE";
  }
  __builtin_unreachable();
}

Difference difference_of(const Effect& effect, double adjusted_p, const Rule& rule) {
  const double most = 1 + rule.smallest, least = 1 / most;
  if (adjusted_p <= rule.false_discoveries) {
    if (effect.ratio >= most) return Difference::slower;
    if (effect.ratio <= least) return Difference::faster;
  }
  const bool within = effect.low >= least && effect.high <= most;  // not with NaN
  return within ? Difference::same : Difference::unsure;
}

double smallest_p(std::span<const Block> blocks) {
  double p = 2;
  for (const auto& block : blocks)
    for (std::size_t i = 1; i <= block.b.size(); ++i)  // over a + b over b
      p *= static_cast<double>(i) / static_cast<double>(block.a.size() + i);
  return std::min(p, 1.0);
}

std::size_t fewest_runs(std::size_t cases, const Rule& rule, std::size_t per_block) {
  const double wanted = rule.false_discoveries / static_cast<double>(cases);
  for (std::size_t n = 1;; ++n) {
    std::vector<Block> blocks;
    for (std::size_t first = 0; first < n; first += per_block == 0 ? n : per_block) {
      const auto size = per_block == 0 ? n : std::min(per_block, n - first);
      blocks.push_back({std::vector<double>(size), std::vector<double>(size)});
    }
    if (smallest_p(blocks) <= wanted) return n;
  }
}

std::optional<std::size_t> runs_to_decide(const Effect& effect, std::size_t nruns,
                                          const Rule& rule) {
  const double half_width = std::log(effect.high / effect.low) / 2;
  if (!(half_width > 0) || !std::isfinite(half_width)) return std::nullopt;
  // Room on the side of the ratio, but at least half: a ratio on the border is never decided.
  const double most = std::log1p(rule.smallest);
  const double room = std::max(std::abs(most - std::abs(std::log(effect.ratio))), most / 2);
  const double factor = half_width / room;
  return static_cast<std::size_t>(std::ceil(static_cast<double>(nruns) * factor * factor));
}

}  // namespace linerate::stats
