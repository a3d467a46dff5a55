// What the tests so far say.
#include "pairs/search.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace linerate::pairs {
namespace {

constexpr std::size_t kLowOften = 3;  // pairs

}  // namespace

// With partners that are not at fault.
bool Search::was_low_often(int rank, const Reference& reference) const {
  const auto low = std::ranges::count_if(estimate_.low, [&](const auto& pair) {
    const auto [a, b] = pair.ranks;
    return (a == rank && !is_faulty(b, reference)) || (b == rank && !is_faulty(a, reference));
  });
  return static_cast<std::size_t>(low) >= kLowOften;
}

// By an end that is bad.
bool Search::is_explained(Pair link, const Reference& reference) const {
  return is_faulty(link.first, reference) || is_faulty(link.second, reference);
}

Suspect Search::evidence(Pair ranks, const Reference& reference) const {
  auto all = suspects_.at(ranks);
  for (const auto& [pair, link] : suspects_)
    if (!all.is_link() && link.is_link() && (pair.first == all.rank() || pair.second == all.rank()))
      all.beside.insert(all.beside.end(), link.beside.begin(), link.beside.end());
  if (is_one_at_once())  // all tests are by themselves
    for (const auto& rate : std::exchange(all.alone, {})) all.beside.push_back(rate);
  for (auto* rates : {&all.beside, &all.alone})
    std::erase_if(*rates, [&](const Rate& rate) { return reference.is_disturbed(rate.slot); });
  return all;
}

Judged Search::judged(Pair ranks, const Reference& reference) const {
  const auto found = suspects_.find(ranks);
  if (found == suspects_.end() || found->second.beside.empty()) return {};
  const auto all = evidence(ranks, reference);
  auto judged = judge(all, reference, options_.limit);
  const bool all_alone_disturbed =
      !is_one_at_once() && all.alone.empty() && !found->second.alone.empty();
  if (all.beside.empty() || (judged.bad() && all_alone_disturbed)) judged.state = State::unclear;
  return judged;
}

// What is bad in the end was tested later, too, and is bad at several times.
Judged Search::verdict(Pair ranks, const Reference& reference) const {
  auto judged = this->judged(ranks, reference);
  if (!judged.bad()) return judged;
  const bool never_again = phase_ == Phase::over && suspects_.at(ranks).alone.empty();
  if (never_again ||
      !is_spread(evidence(ranks, reference), judged.state, reference, options_.limit))
    judged.state = State::unclear;
  return judged;
}

Reference Search::reference() const {
  auto controls = controls_.empty() ? rounds_ : controls_;
  auto reference = reference_of(layout_, controls, estimate_, options_.limit);
  controls.insert(controls.end(), controls_by_itself_.begin(), controls_by_itself_.end());
  reference.slots = slots_of(layout_, controls, estimate_, reference);
  return reference;
}

Outcome Search::outcome() const {
  Outcome outcome{.left_out = estimate_.left_out,
                  .not_measured = estimate_.not_measured,
                  .at_once_gbps = median_gbps(rounds_),
                  .parts = parts_,
                  .crowded = crowded_,
                  .slots = slots_,
                  .pairs = pairs_};
  outcome.wrong.assign(wrong_.begin(), wrong_.end());
  if (!healthy_) return outcome;  // ended before the rounds were done
  const auto reference = this->reference();
  outcome.alone_gbps = std::exp(reference.log);
  outcome.noise = reference.noise;
  outcome.visible_share = visible_share(reference, options_.limit);
  auto faults = faulty_rails(layout_, estimate_);
  for (const auto& [ranks, of] : suspects_) {
    const auto judged = verdict(ranks, reference);
    if (judged.bad() && !(of.is_link() && is_explained(ranks, reference)))
      faults.push_back(fault_of(layout_, evidence(ranks, reference), judged, reference));
    else if (!of.is_link() && std::ranges::count(estimate_.ranks, of.rank()) > 0)
      (judged.state == State::unclear ? outcome.unclear : outcome.cleared).push_back(of.rank());
  }
  outcome.faults = merged(layout_, std::move(faults));
  return outcome;
}

}  // namespace linerate::pairs
