#include "pairs/estimate.h"

#include "stats/summary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace linerate::pairs {
namespace {

constexpr double kNotMeasured = -std::numeric_limits<double>::infinity();  // log of a rate
constexpr double kSpreadOfMad = 1.4826;  // of a normal distribution
constexpr double kLeastSpread = 0.005;   // clocks and schedulers leave more than that
constexpr double kSuspectZ = 3;          // one healthy rank in 700
constexpr double kLowZ = 4;              // of a single pair: one healthy one in 30,000
constexpr double kSlowRailZ = 6;         // of the median of a rail against another one
constexpr double kMostOfRail = 0.75;     // ranks of a slow rail are below the limit
constexpr double kAlwaysLow = -1000;     // goes before what is low now and then
constexpr std::size_t kLowPartners = 2;  // that make a rank suspect
constexpr std::size_t kLeastTested = 16, kTestedShare = 8;  // an eighth of the ranks

double median_of(const std::vector<double>& values) {
  return values.empty() ? 0 : stats::median(values);
}

// A statistic of each rank against that of all.
struct Scores {
  double centre = 0, spread = 0;
  bool low(double value, double least) const {
    return value - centre < -std::max(kSuspectZ * spread, least);
  }
};

Scores scores_of(const std::vector<double>& values) {
  return {median_of(values), std::max(kLeastSpread, spread_of(values))};
}

class Screen {
 public:
  Screen(const Layout& layout, std::span<const Rate> rates, const Limit& limit,
         const std::optional<std::set<int>>& rails)
      : layout_(layout), rates_(rates), limit_(limit), rails_(rails) {}

  Estimate run();

 private:
  std::vector<double> best_of_ranks() const;
  void fit_rails();
  void fit_ranks();
  void find_low_pairs();
  void add_ranks_of_low_pairs();
  void sort_suspects();
  double value(const Rate& rate) const {
    return found_.value(layout_, rate) - std::log(found_.base_gbps);
  }
  double deficit(int rank) const { return found_.deficit[static_cast<std::size_t>(rank)]; }

  const Layout& layout_;
  const std::span<const Rate> rates_;
  const Limit limit_;
  const std::optional<std::set<int>>& rails_;
  Estimate found_;
  // How low of what is always low, and how often of what is low now and then.
  std::map<int, double> suspects_;
};

std::vector<double> Screen::best_of_ranks() const {
  std::vector<double> best(static_cast<std::size_t>(layout_.nranks()), kNotMeasured);
  for (const auto& rate : rates_)
    for (const int rank : {rate.ranks.first, rate.ranks.second}) {
      auto& of_rank = best[static_cast<std::size_t>(rank)];
      of_rank = std::max(of_rank, rate.log());
    }
  return best;
}

// What its median rank reaches with its best partner. A rail that is slow as a whole is named once,
// and its ranks are held against each other; a rail of two ranks is too small for that.
void Screen::fit_rails() {
  constexpr std::size_t kLeastRanks = 3;
  const auto best = best_of_ranks();
  std::vector<std::vector<double>> of_rail(static_cast<std::size_t>(layout_.nrails()));
  for (int rank = 0; rank < layout_.nranks(); ++rank)
    if (const double own = best[static_cast<std::size_t>(rank)]; own > kNotMeasured)
      of_rail[static_cast<std::size_t>(layout_.place(rank).rail)].push_back(own);
  for (const auto& values : of_rail)
    found_.rail_gbps.push_back(values.empty() ? 0 : std::exp(median_of(values)));
  found_.base_gbps = std::ranges::max(found_.rail_gbps);
  for (std::size_t rail = 0; rail < of_rail.size(); ++rail) {
    found_.rail_offset.push_back(0);
    const bool may_be_slow = !rails_ || rails_->contains(static_cast<int>(rail));
    if (of_rail[rail].size() < kLeastRanks || !may_be_slow) continue;
    const double offset = std::log(found_.rail_gbps[rail] / found_.base_gbps);
    const auto n = static_cast<double>(of_rail[rail].size());
    const double chance = -kSlowRailZ * spread_of(of_rail[rail]) / std::sqrt(n);
    std::ranges::sort(of_rail[rail]);
    const double upper = stats::quantile(of_rail[rail], kMostOfRail);
    if (offset < chance && upper - std::log(found_.base_gbps) < limit_.log())
      found_.rail_offset.back() = offset;
  }
}

void Screen::fit_ranks() {
  std::vector<std::vector<double>> values(static_cast<std::size_t>(layout_.nranks()));
  for (const auto& rate : rates_)
    for (const int rank : {rate.ranks.first, rate.ranks.second})
      values[static_cast<std::size_t>(rank)].push_back(value(rate));
  std::vector<double> best, middle;
  for (const auto& of_rank : values) {
    found_.not_measured += of_rank.empty() ? 1 : 0;
    if (of_rank.empty()) continue;
    best.push_back(std::ranges::max(of_rank));
    middle.push_back(stats::median(of_rank));
  }
  const auto bests = scores_of(best), middles = scores_of(middle);
  const double least = -limit_.log() / 2;
  found_.deficit.assign(values.size(), 0);
  for (std::size_t rank = 0; rank < values.size(); ++rank) {
    if (values[rank].empty()) continue;
    const double top = std::ranges::max(values[rank]), half = stats::median(values[rank]);
    found_.deficit[rank] = std::min(0.0, top - bests.centre);
    if (bests.low(top, least))
      suspects_[static_cast<int>(rank)] = kAlwaysLow + top - bests.centre;
    else if (middles.low(half, least))
      suspects_[static_cast<int>(rank)] = -static_cast<double>(
          std::ranges::count_if(values[rank], [&](double one) { return middles.low(one, least); }));
  }
}

void Screen::find_low_pairs() {
  std::vector<double> residuals;
  for (const auto& rate : rates_)
    residuals.push_back(value(rate) -
                        std::min(deficit(rate.ranks.first), deficit(rate.ranks.second)));
  const double centre = median_of(residuals);
  for (auto& residual : residuals) residual -= centre;
  found_.noise = std::max(kLeastSpread, spread_of(residuals));
  const double low = -std::max(kLowZ * found_.noise, -limit_.log());
  std::map<Pair, double> lowest;
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    if (residuals[i] >= low) continue;
    auto& of_pair = lowest[rates_[i].ranks];
    of_pair = std::min(of_pair, residuals[i]);
  }
  for (const auto& [pair, residual] : lowest) found_.low.push_back({pair, residual});
  std::ranges::sort(found_.low, {}, &Estimate::LowPair::residual);
}

// The rank with most partners first: it may explain all of them.
void Screen::add_ranks_of_low_pairs() {
  for (;;) {
    std::map<int, std::size_t> partners;
    for (const auto& [pair, residual] : found_.low) {
      if (suspects_.contains(pair.first) || suspects_.contains(pair.second)) continue;
      for (const int rank : {pair.first, pair.second}) ++partners[rank];
    }
    const auto most =
        std::ranges::max_element(partners, {}, [](const auto& item) { return item.second; });
    if (most == partners.end() || most->second < kLowPartners) return;
    suspects_[most->first] = -static_cast<double>(most->second);
  }
}

void Screen::sort_suspects() {
  std::vector<std::pair<double, int>> sorted;
  for (const auto& [rank, depth] : suspects_) sorted.emplace_back(depth, rank);
  std::ranges::sort(sorted);
  const auto most = std::min(sorted.size(), most_suspects(layout_));
  found_.left_out = sorted.size() - most;
  for (const auto& item : std::span(sorted).first(most)) found_.ranks.push_back(item.second);
}

Estimate Screen::run() {
  fit_rails();
  fit_ranks();
  find_low_pairs();
  add_ranks_of_low_pairs();
  sort_suspects();
  return std::move(found_);
}

}  // namespace

double Limit::log() const { return std::log(share); }

double spread_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const double centre = stats::median(values);
  for (auto& value : values) value = std::abs(value - centre);
  return kSpreadOfMad * stats::median(std::move(values));
}

std::size_t most_suspects(const Layout& layout) {
  return std::max(kLeastTested, static_cast<std::size_t>(layout.nranks()) / kTestedShare);
}

Estimate estimate(const Layout& layout, std::span<const Rate> rates, const Limit& limit,
                  const std::optional<std::set<int>>& rails) {
  return Screen(layout, rates, limit, rails).run();
}

}  // namespace linerate::pairs
