// The search for bad nodes, ranks, rails and links: which pairs are measured next, and what all
// of them say in the end.
//
//   alone      a few pairs by themselves: what a pair reaches undisturbed
//   at once    matchings of all nodes; where pairs are in each other's way, in parts; where a rail
//              is slow, all of them again and again: it must be slow each time
//   ranks      each suspect with three healthy partners, one rail of a node at a time, few pairs
//              at once; healthy pairs beside them as controls
//   links      pairs that were low: again, and their ends with healthy partners
//   by itself  what is still bad, with four other partners (where few pairs fit beside each other
//              with the same ones) and nothing beside it, in passes with controls between, of which
//              several outlast a burst of noise; ranks that are not always low then more often,
//              without controls between
// A Search asks; its caller measures. It knows nothing of networks and clocks.
#pragma once

#include "pairs/fault.h"
#include "pairs/healthy.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::pairs {

struct SearchOptions {
  std::uint64_t seed = 0;
  std::size_t rounds = 8;  // matchings
  Limit limit{};
};

struct Outcome {
  std::vector<Fault> faults{};   // lowest share first
  std::vector<Pair> wrong{};     // pairs between which data was wrong
  std::vector<int> cleared{};    // suspect ranks that were fine when tested
  std::vector<int> unclear{};    // those that are neither fine nor bad
  std::size_t left_out = 0;      // suspects that were not tested: too many
  std::size_t not_measured = 0;  // ranks that had a partner in no round
  double alone_gbps = 0;         // a pair undisturbed
  double at_once_gbps = 0;       // likewise in the rounds
  double noise = 0;              // spread of an undisturbed pair, as a share
  double visible_share = 0;      // what is slower than that is found
  std::size_t parts = 1;         // of each matching, so that pairs do not disturb each other
  bool crowded = false;          // they still do
  std::size_t slots = 0;         // measurements one after the other
  std::size_t pairs = 0;         // in all of them
};

class Search {
 public:
  // REQUIRES: refusal_for() finds nothing.
  Search(Layout layout, SearchOptions options);
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  // What is to be measured next, at once; nothing: the search is over. Each round must be answered
  // by take(), with its pairs in any order.
  std::optional<Round> next();
  void take(std::span<const Rate> rates);

  // What the round that next() asked for is about, in a word or two: "suspects".
  std::string_view doing() const;
  // Of a search that was ended early: what is known by then.
  Outcome outcome() const;

 private:
  enum class Phase : std::uint8_t { alone, at_once, ranks, links, by_itself, over };
  enum class Purpose : std::uint8_t { none, control, matching, suspect };
  struct Ask {
    Pair pair{};
    Purpose purpose = Purpose::control;
    Pair suspect{};
  };
  using Asks = std::vector<Ask>;  // of a round

  void advance();
  void ask_alone();
  void ask_matching();
  void after_matching();
  bool is_crowded() const;
  bool is_rail_in_doubt();
  void ask_ranks();
  void test_again(Asks& asks);
  void ask_again_or_links();
  void ask_links();
  void ask_ends_or_by_itself();
  void ask_by_itself();
  void ask_pass(const std::vector<Pair>& asked, std::size_t pass, std::size_t slots);
  Suspect& suspect(Pair ranks);
  void test_rank(int rank, int repeats, Asks& asks);
  void test_link(Pair pair, Asks& asks);
  void queue(Asks asks);
  void queue_with_controls(Asks round);
  Asks controls_beside(const Asks& round, std::size_t count);
  std::size_t most_at_once() const;
  bool is_one_at_once() const { return most_at_once() == 1; }
  bool was_low_often(int rank, const Reference& reference) const;
  Reference reference() const;
  bool is_explained(Pair link, const Reference& reference) const;
  // A rank's own tests, and those of its links: where several are low at times, it is the rank. All
  // but those that were disturbed.
  Suspect evidence(Pair ranks, const Reference& reference) const;
  Judged judged(Pair ranks, const Reference& reference) const;  // fine where it was not tested
  Judged verdict(Pair ranks, const Reference& reference) const;
  bool is_faulty(int rank, const Reference& reference) const {
    return judged({rank, rank}, reference).bad();
  }

  const Layout layout_;
  const SearchOptions options_;
  SplitMix random_;
  std::vector<Round> matchings_;
  Phase phase_ = Phase::alone;
  std::deque<Asks> queue_;
  Asks asked_;  // the round under way
  std::size_t parts_ = 1, matching_ = 0;
  std::size_t runs_ = 0, first_of_run_ = 0;  // of all matchings
  std::set<int> slow_rails_{};               // in each of them
  bool crowded_ = false;
  int asked_by_itself_ = 0;  // times
  std::vector<Rate> controls_, rounds_;
  std::vector<Rate> controls_by_itself_;  // of passes, in which tests have no others
  std::map<Pair, Suspect> suspects_;
  std::set<Pair> wrong_;
  Estimate estimate_;
  std::optional<Healthy> healthy_;  // once there is an estimate
  std::size_t slots_ = 0, pairs_ = 0;
};

// Too few nodes, or ranks of one node, to tell which of them is bad; nothing: there are enough.
std::optional<std::string> refusal_for(const Layout& layout);

}  // namespace linerate::pairs
