// Each phase fills a queue of rounds; when it is empty the next phase begins.
#include "pairs/search.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace linerate::pairs {
namespace {

constexpr std::size_t kAlone = 7;       // pairs: four faulty ones of seven would mislead
constexpr double kUndisturbed = 0.9;    // of what a pair reaches alone
constexpr double kCrowdedShare = 0.15;  // of pairs that are below it: more than faults explain
constexpr std::size_t kMostParts = 16;  // of a matching
constexpr std::size_t kPartners = 3, kOthers = 4;
constexpr int kRepeats = 2, kRepeatsAgain = 3;                // with each partner
constexpr std::size_t kMostTests = 30, kMostTestsOfFew = 15;  // of a rank beside others
constexpr int kRepeatsOfLink = 3;
constexpr std::size_t kRepeatsByItself = 3;
constexpr std::size_t kSparse = 16;    // of so many nodes' pairs one is measured beside others
constexpr std::size_t kPartShare = 4;  // and of an undisturbed part of a matching
constexpr std::size_t kRoundsOfControl = 2;
constexpr std::size_t kControls = 4;  // in a round with others
constexpr std::size_t kLeastNodes = 3;
constexpr std::size_t kSlots = 8, kSlotsOfFew = 6;  // slots at least
constexpr std::size_t kPassesOfFew = 8;
constexpr std::size_t kRunsOfRails = 3;  // in each of which a slow rail is slow

}  // namespace

std::optional<std::string> refusal_for(const Layout& layout) {
  if (static_cast<std::size_t>(layout.nnodes()) >= kLeastNodes) return std::nullopt;
  return "Which of two is bad shows only beside a third: start ranks on at least 3 nodes, or at "
         "least 3 ranks on one.";
}

Search::Search(Layout layout, SearchOptions options)
    : layout_(std::move(layout)),
      options_(options),
      random_(options.seed),
      matchings_(matchings(layout_, std::max<std::size_t>(1, options.rounds), random_)) {
  ask_alone();
}

std::optional<Round> Search::next() {
  while (queue_.empty() && phase_ != Phase::over) advance();
  if (queue_.empty()) return std::nullopt;
  asked_ = std::move(queue_.front());
  queue_.pop_front();
  ++slots_;
  pairs_ += asked_.size();
  Round round;
  for (const auto& ask : asked_) round.push_back(ask.pair);
  return round;
}

std::string_view Search::doing() const {
  switch (phase_) {
    case Phase::alone:
      return "a few pairs alone";
    case Phase::at_once:
      return "all nodes at once";
    case Phase::ranks:
      return "suspects";
    case Phase::links:
      return "links";
    case Phase::by_itself:
    case Phase::over:
      return "suspects alone";
  }
  __builtin_unreachable();
}

void Search::take(std::span<const Rate> rates) {
  for (auto rate : rates) {
    rate.slot = slots_;
    if (rate.wrong) wrong_.insert(rate.ranks);
    const auto ask = std::ranges::find(asked_, rate.ranks, &Ask::pair);
    if (ask == asked_.end()) continue;
    if (ask->purpose == Purpose::control)
      (phase_ == Phase::by_itself && !is_one_at_once() ? controls_by_itself_ : controls_)
          .push_back(rate);
    if (ask->purpose == Purpose::matching) rounds_.push_back(rate);
    if (ask->purpose != Purpose::suspect) continue;
    auto& of = suspects_.at(ask->suspect);
    (phase_ == Phase::by_itself ? of.alone : of.beside).push_back(rate);
  }
}

void Search::advance() {
  switch (phase_) {
    case Phase::alone:
      phase_ = Phase::at_once;
      return ask_matching();
    case Phase::at_once:
      return after_matching();
    case Phase::ranks:
      return ask_again_or_links();
    case Phase::links:
      return ask_ends_or_by_itself();
    case Phase::by_itself:
      return ask_by_itself();
    case Phase::over:
      return;
  }
}

// The first pairs of the matchings. Few nodes have all their pairs among them.
void Search::ask_alone() {
  std::set<Pair> seen;
  for (const auto& matching : matchings_)
    for (const auto& pair : matching)
      if (seen.size() < kAlone && seen.insert(pair).second) queue_.push_back({{.pair = pair}});
}

void Search::ask_matching() {
  for (const auto& part : in_parts(matchings_[matching_], parts_)) {
    Asks asks;
    for (const auto& pair : part) asks.push_back({pair, Purpose::matching});
    queue_.push_back(std::move(asks));
  }
}

// The first matching shows in how many parts pairs are undisturbed; then the others follow.
void Search::after_matching() {
  if (matching_ == 0 && runs_ == 0) {
    crowded_ = parts_ < matchings_[0].size() && is_crowded();
    if (crowded_ && parts_ < kMostParts) {
      parts_ *= 2;
      rounds_.clear();
      return ask_matching();
    }
  }
  if (++matching_ < matchings_.size()) return ask_matching();
  if (is_rail_in_doubt()) {
    matching_ = 0;
    return ask_matching();
  }
  phase_ = Phase::ranks;
  ask_ranks();
}

// Whether a rail was slow in each run of the matchings, but not yet in enough of them.
bool Search::is_rail_in_doubt() {
  const auto of_run = std::span(rounds_).subspan(first_of_run_);
  const auto found = estimate(layout_, of_run, options_.limit);
  if (runs_ == 0)
    for (int rail = 0; rail < layout_.nrails(); ++rail) slow_rails_.insert(rail);
  std::erase_if(slow_rails_, [&](int rail) { return !found.is_slow_rail(rail); });
  first_of_run_ = rounds_.size();
  return ++runs_ < kRunsOfRails && !slow_rails_.empty();
}

// By their best pairs, because some of the few may be faulty.
bool Search::is_crowded() const {
  std::vector<double> alone;
  for (const auto& rate : controls_) alone.push_back(rate.gbps());
  std::ranges::sort(alone);
  const double reached = alone[alone.size() / 2];  // of two the upper one
  const auto low = std::ranges::count_if(
      rounds_, [&](const Rate& rate) { return rate.gbps() < kUndisturbed * reached; });
  return static_cast<double>(low) > kCrowdedShare * static_cast<double>(rounds_.size());
}

void Search::ask_ranks() {
  estimate_ = estimate(layout_, rounds_, options_.limit, slow_rails_);
  healthy_.emplace(layout_, estimate_);
  // A control of the start may have a suspect; tests bring others.
  std::erase_if(controls_, [&](const Rate& rate) { return !healthy_->is_control(rate.ranks); });
  Asks asks;
  for (const int rank : estimate_.ranks) test_rank(rank, kRepeats, asks);
  queue(std::move(asks));
}

// Ranks that are not clear, and those that were low only now and then: an intermittent fault may
// have been away.
void Search::test_again(Asks& asks) {
  const auto reference = this->reference();
  const auto most = most_at_once() > 1 ? kMostTests : kMostTestsOfFew;
  for (const auto& [ranks, of] : suspects_) {
    if (of.is_link() || of.beside.size() >= most) continue;
    const auto state = judged(ranks, reference).state;
    const bool away = state == State::fine && of.beside.size() <= kPartners * kRepeats &&
                      was_low_often(of.rank(), reference);
    if (state == State::unclear || away) test_rank(of.rank(), kRepeatsAgain, asks);
  }
}

void Search::ask_again_or_links() {
  Asks asks;
  test_again(asks);
  if (!asks.empty()) return queue(std::move(asks));
  phase_ = Phase::links;
  ask_links();
}

// Those of ranks that are not at fault themselves.
void Search::ask_links() {
  const auto reference = this->reference();
  std::size_t left = most_suspects(layout_);
  Asks asks;
  for (const auto& low : estimate_.low) {
    const auto [a, b] = low.ranks;
    if (left == 0) break;
    if (is_faulty(a, reference) || is_faulty(b, reference)) continue;
    test_link(low.ranks, asks);
    --left;
  }
  queue(std::move(asks));
}

// The ends of pairs that were low again, with others, and these pairs; then what is bad, by
// itself.
void Search::ask_ends_or_by_itself() {
  const auto reference = this->reference();
  Asks asks;
  std::vector<Pair> low;
  for (const auto& [ranks, of] : suspects_)
    if (of.is_link() && of.beside.size() <= kRepeatsOfLink &&
        judged(ranks, reference).state != State::fine)
      low.push_back(ranks);
  for (const auto& link : low) {
    test_link(link, asks);
    for (const int rank : {link.first, link.second})
      if (!suspects_.contains({rank, rank})) test_rank(rank, kRepeats, asks);
  }
  test_again(asks);
  if (!asks.empty()) return queue(std::move(asks));
  phase_ = Phase::by_itself;
}

// First what is bad; then, where tests are beside others, what was fine at times by itself.
void Search::ask_by_itself() {
  const bool first = asked_by_itself_++ == 0;
  const bool last = asked_by_itself_ > (is_one_at_once() ? 1 : 2);
  const auto reference = this->reference();
  std::vector<Pair> asked;
  for (auto& [ranks, of] : suspects_) {
    const auto judged = this->judged(ranks, reference);
    const bool at_times = !of.alone.empty() && !of.is_link() && judged.state != State::slow;
    if (last || !(first ? judged.bad() : at_times)) continue;
    if (first && !of.is_link() && !is_one_at_once())
      of.partners = healthy_->partners(of.rank(), kOthers, of.partners, random_);
    asked.push_back(ranks);
  }
  const auto passes = is_one_at_once() ? kPassesOfFew
                      : first          ? kOthers
                                       : kOthers * kRepeatsByItself;
  const auto slots = is_one_at_once() ? kSlotsOfFew : first ? kSlots : 0;
  for (std::size_t pass = 0; pass < passes && !asked.empty(); ++pass) ask_pass(asked, pass, slots);
  if (queue_.empty()) phase_ = Phase::over;
}

// One test of each, one after the other, and controls up to so many slots, if there are healthy
// pairs: a burst of noise does not last for several passes of kSlots.
void Search::ask_pass(const std::vector<Pair>& asked, std::size_t pass, std::size_t slots) {
  for (const auto& ranks : asked) {
    const auto& of = suspects_.at(ranks);
    assert(of.is_link() || !of.partners.empty());  // it was tested before
    const int other = of.is_link() ? ranks.second : of.partners[pass % of.partners.size()];
    queue_.push_back({{std::minmax(of.rank(), other), Purpose::suspect, ranks}});
  }
  for (auto slot = asked.size(); slot < slots; ++slot) {
    const auto& matching = matchings_[random_.below(matchings_.size())];
    auto control = controls_beside({}, 1);
    if (control.empty()) control = {{matching[random_.below(matching.size())], Purpose::none, {}}};
    queue_.push_back(std::move(control));
  }
}

Suspect& Search::suspect(Pair ranks) {
  auto& of = suspects_[ranks];
  of.ranks = ranks;
  of.rail = layout_.place(ranks.first).rail;
  return of;
}

// Each time other pairs are beside it.
void Search::test_rank(int rank, int repeats, Asks& asks) {
  auto& of = suspect({rank, rank});
  if (of.partners.empty()) of.partners = healthy_->partners(rank, kPartners, {}, random_);
  for (int i = 0; i < repeats; ++i)
    for (const int partner : of.partners)
      asks.push_back({std::minmax(rank, partner), Purpose::suspect, of.ranks});
}

void Search::test_link(Pair pair, Asks& asks) {
  asks.insert(asks.end(), kRepeatsOfLink, {pair, Purpose::suspect, suspect(pair).ranks});
}

std::size_t Search::most_at_once() const {
  const auto part = matchings_[0].size() / parts_;
  const auto nodes = static_cast<std::size_t>(layout_.nnodes());
  return std::max<std::size_t>(1, std::min(nodes / kSparse, part / kPartShare));
}

// Into rounds in which each node has one pair, in an order drawn by random.
void Search::queue(Asks asks) {
  random_.shuffle(asks);
  while (!asks.empty()) {
    Asks round, rest;
    std::set<int> busy;
    for (const auto& ask : asks) {
      const int a = layout_.place(ask.pair.first).node, b = layout_.place(ask.pair.second).node;
      const bool fits = round.size() < most_at_once() && !busy.contains(a) && !busy.contains(b);
      if (fits) busy.insert({a, b});
      (fits ? round : rest).push_back(ask);
    }
    queue_with_controls(std::move(round));
    asks = std::move(rest);
  }
}

// Beside few pairs, where there are nodes enough; else now and then one in a round of its own.
void Search::queue_with_controls(Asks round) {
  if (most_at_once() < kControls && queue_.size() % kRoundsOfControl != 0) {
    queue_.push_back(std::move(round));
    return;
  }
  const bool beside = most_at_once() >= kControls;
  auto controls = controls_beside(beside ? round : Asks(), beside ? kControls : 1);
  if (beside) {
    round.insert(round.end(), controls.begin(), controls.end());
    controls.clear();
  }
  queue_.push_back(std::move(round));
  if (!controls.empty()) queue_.push_back(std::move(controls));
}

// Of nodes that are not in the round.
Search::Asks Search::controls_beside(const Asks& round, std::size_t count) {
  std::set<int> busy;
  const auto place = [&](int rank) { return layout_.place(rank).node; };
  for (const auto& ask : round) busy.insert({place(ask.pair.first), place(ask.pair.second)});
  Asks controls;
  const auto& matching = matchings_[random_.below(matchings_.size())];
  for (std::size_t tries = 0; tries < matching.size() && controls.size() < count; ++tries) {
    const auto& pair = matching[random_.below(matching.size())];
    const int a = place(pair.first), b = place(pair.second);
    if (!healthy_->is_control(pair) || busy.contains(a) || busy.contains(b)) continue;
    busy.insert({a, b});
    controls.push_back({.pair = pair});
  }
  return controls;
}

}  // namespace linerate::pairs
