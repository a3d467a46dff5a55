#include "pairs/judge.h"

#include "stats/summary.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numbers>
#include <utility>

namespace linerate::pairs {
namespace {

constexpr double kLeastNoise = 0.005;
constexpr double kClearZ = 4;          // one healthy suspect in 30,000
constexpr double kNotFineZ = 3;        // of the median with one partner
constexpr double kLowTestZ = 4;        // of a single test
constexpr std::size_t kLowTests = 3;   // that make it intermittent
constexpr double kChance = 0.0001;     // of so many low tests of a healthy suspect
constexpr double kDisturbed = 2;       // of what makes a test low: a control that noise left alone
constexpr std::size_t kBurst = 12;     // slots that count as one period
constexpr std::size_t kPeriods = 3;    // in which what is bad is low
constexpr std::size_t kFineTests = 3;  // with which a single run of low tests is a burst
constexpr std::size_t kFewControls = 8;   // whose spread says little
constexpr std::size_t kLowAlone = 2;      // tests that confirm it
constexpr double kMedianError = 1.25;     // of a median over that of a mean, of normal values
constexpr double kMostConfidence = 0.99;  // what else may be wrong is not in the numbers

double normal_below(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

// Tests of one partner; of a link all tests are.
struct OfPartner {
  std::vector<double> log_shares{};
  std::size_t low = 0;
  bool always_low() const { return low == log_shares.size(); }
};

// What the tests of one suspect have in common.
struct Tests {
  std::size_t n = 0, low = 0, below = 0;  // the limit
  double middle = 0, best = 0;            // of the partners' medians; logarithms of shares
  std::size_t n_of_best = 0;
  std::size_t partners = 0, low_with = 0;
  bool some_fine = false;
  std::size_t n_at_times = 0, low_at_times = 0;  // of partners with which it is not always low

  // Where one link is low, the partner at its other end is not enough to accuse the rank.
  bool low_with_several() const { return low_with >= std::min<std::size_t>(2, partners); }
};

Tests tests_of(const Suspect& suspect, std::span<const Rate> rates, const Reference& reference,
               const Limit& limit) {
  std::map<int, OfPartner> by_partner;
  Tests tests{.n = rates.size()};
  for (const auto& rate : rates) {
    auto& of = by_partner[rate.other(suspect.rank())];
    const double log_share = rate.log() - reference.expected_log(suspect.rail);
    of.log_shares.push_back(log_share);
    of.low += log_share < -reference.least_low ? 1 : 0;
    tests.below += log_share < limit.log() ? 1 : 0;
    tests.some_fine = tests.some_fine || log_share > limit.log() / 2;
  }
  tests.partners = by_partner.size();
  std::vector<double> medians;
  for (const auto& [partner, of] : by_partner) {
    medians.push_back(stats::median(of.log_shares));
    if (medians.size() == 1 || medians.back() > tests.best) {
      tests.best = medians.back();
      tests.n_of_best = of.log_shares.size();
    }
    tests.low += of.low;
    tests.low_with += of.low > 0 ? 1 : 0;
    if (of.always_low()) continue;
    tests.n_at_times += of.log_shares.size();
    tests.low_at_times += of.low;
  }
  tests.middle = stats::median(std::move(medians));
  return tests;
}

// Of at least `low` of n tests, each low with that probability.
double binomial_tail(std::size_t n, std::size_t low, double probability) {
  double term = std::pow(1 - probability, static_cast<double>(n)), below = 0;
  for (std::size_t k = 0; k < low; ++k) {
    below += term;
    term *=
        static_cast<double>(n - k) / static_cast<double>(k + 1) * probability / (1 - probability);
  }
  return std::max(0.0, 1 - below);
}

// Of the median of n tests against that of the controls.
double error_of(std::size_t n, const Reference& reference) {
  return kMedianError * reference.noise *
         std::sqrt(1 / static_cast<double>(n) + 1 / static_cast<double>(reference.n));
}

Judged judged(const Tests& tests, const Reference& reference, const Limit& limit) {
  const double error = error_of(tests.n, reference);
  const double slow_by_chance = binomial_tail(tests.n, tests.below, reference.below_share);
  const double low_by_chance =
      binomial_tail(tests.n_at_times, tests.low_at_times, reference.low_share);
  const bool below = tests.middle < std::min(limit.log(), -kClearZ * error);
  const double not_fine =
      std::min(limit.log() / 2, -kNotFineZ * error_of(tests.n_of_best, reference));
  const bool slow = below && tests.best < not_fine && slow_by_chance < kChance;
  const bool several = tests.low >= kLowTests && tests.low_with_several();
  Judged judged{.share = std::exp(tests.middle), .low = tests.low};
  if (several && (slow ? tests.some_fine : low_by_chance < kChance)) {
    judged.state = State::intermittent;
    judged.confidence = 1 - std::min(slow_by_chance, low_by_chance);
  } else if (slow) {
    judged.state = State::slow;
    judged.low = tests.below;
    judged.confidence = normal_below((limit.log() - tests.middle) / error);
  } else if (below || tests.low > 0) {
    judged.state = State::unclear;
  }
  judged.confidence = std::min(judged.confidence, kMostConfidence);
  return judged;
}

// By the controls before and after it.
bool disturbed_beside(const std::vector<Reference::Slot>& slots, std::size_t slot) {
  const auto at = std::ranges::lower_bound(slots, slot, {}, &Reference::Slot::slot);
  if (at != slots.begin() && std::prev(at)->low) return true;
  const auto after = std::ranges::upper_bound(slots, slot, {}, &Reference::Slot::slot);
  return after != slots.end() && after->low;
}

}  // namespace

bool Reference::is_disturbed(std::size_t slot) const {
  const auto at = std::ranges::lower_bound(slots, slot, {}, &Slot::slot);
  return at != slots.end() && at->slot == slot ? at->low : disturbed_beside(slots, slot);
}

Reference reference_of(const Layout& layout, std::span<const Rate> controls,
                       const Estimate& estimate, const Limit& limit) {
  std::vector<double> values;
  for (const auto& rate : controls) values.push_back(estimate.value(layout, rate));
  Reference reference{.n = values.size(), .rail_offset = estimate.rail_offset};
  reference.noise = std::max(kLeastNoise, spread_of(values));
  if (values.size() < kFewControls) reference.noise = std::max(reference.noise, estimate.noise);
  reference.log = stats::median(values);
  reference.least_low = std::max(-limit.log(), kLowTestZ * reference.noise);
  reference.slots = slots_of(layout, controls, estimate, reference);
  std::vector<double> undisturbed;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!disturbed_beside(reference.slots, controls[i].slot)) undisturbed.push_back(values[i]);
  const auto share_below = [&](double log) {
    const auto below =
        std::ranges::count_if(undisturbed, [&](double value) { return value < log; });
    return static_cast<double>(below + 1) / static_cast<double>(undisturbed.size() + 2);
  };
  reference.low_share = share_below(reference.log - reference.least_low);
  reference.below_share = share_below(reference.log + limit.log());
  return reference;
}

std::vector<Reference::Slot> slots_of(const Layout& layout, std::span<const Rate> controls,
                                      const Estimate& estimate, const Reference& reference) {
  std::map<std::size_t, std::pair<std::size_t, std::size_t>> counted;
  for (const auto& rate : controls) {
    auto& [n, low] = counted[rate.slot];
    ++n;
    low += estimate.value(layout, rate) < reference.log - kDisturbed * reference.least_low ? 1 : 0;
  }
  std::vector<Reference::Slot> slots;
  for (const auto& [slot, of] : counted) slots.push_back({slot, 2 * of.second > of.first});
  return slots;
}

double visible_share(const Reference& reference, const Limit& limit) {
  constexpr std::size_t kTests = 6;
  constexpr double kSureZ = 2;  // one of 40 stays above
  const double error = error_of(kTests, reference);
  return std::exp(std::min(limit.log(), -kClearZ * error) - kSureZ * error);
}

Judged judge(const Suspect& suspect, const Reference& reference, const Limit& limit) {
  if (suspect.beside.empty()) return {};
  auto beside = judged(tests_of(suspect, suspect.beside, reference, limit), reference, limit);
  if (!beside.bad() || suspect.alone.empty()) return beside;
  const auto tests = tests_of(suspect, suspect.alone, reference, limit);
  const bool slow = judged(tests, reference, limit).state == State::slow;
  // Fine with one partner and never with others: a path that most of them share.
  const bool with_all = tests.low_with == tests.partners;
  const bool at_times = tests.low >= kLowAlone && tests.low_with + 1 >= tests.partners &&
                        (with_all || tests.low_at_times > 0);
  if (beside.state == State::slow && slow) return beside;
  beside.state = slow || at_times ? State::intermittent : State::fine;
  return beside;
}

bool is_spread(const Suspect& suspect, State state, const Reference& reference,
               const Limit& limit) {
  auto tests = suspect.beside;
  tests.insert(tests.end(), suspect.alone.begin(), suspect.alone.end());
  std::ranges::stable_sort(tests, {}, &Rate::slot);
  const double least = state == State::slow ? limit.log() : -reference.least_low;
  std::size_t periods = 0, runs = 0, low_tests = 0, counted = 0;
  bool was_low = false;
  for (const auto& rate : tests) {
    const bool low = rate.log() - reference.expected_log(suspect.rail) < least;
    const bool begins = low && !was_low;
    if (begins || (low && rate.slot >= counted + kBurst)) {
      ++periods;
      counted = rate.slot;
    }
    runs += begins ? 1 : 0;
    low_tests += low ? 1 : 0;
    was_low = low;
  }
  const bool is_burst = runs < 2 && tests.size() - low_tests >= kFineTests;
  return periods >= kPeriods && !is_burst;
}

}  // namespace linerate::pairs
