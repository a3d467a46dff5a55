// What tests of a suspect say: it is slow, at times or always, or it is fine.
#pragma once

#include "pairs/estimate.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace linerate::pairs {

// What pairs of healthy ranks reach beside few others: the controls. Logarithms.
struct Reference {
  double log = 0;        // the median
  double noise = 0;      // spread of a pair; of few controls not below that of the rounds
  std::size_t n = 0;     // controls
  double least_low = 0;  // a single pair below by more than this is low
  // How often a control is low, and how often it is below the limit at all, which is chance, where
  // those before and after it are not low. Never quite 0.
  double low_share = 0, below_share = 0;
  std::vector<double> rail_offset{};  // of Estimate
  struct Slot {
    std::size_t slot = 0;
    bool low = false;  // most of its controls, and by far
  };
  std::vector<Slot> slots{};  // those with controls, in order

  // Whether the controls of this slot are low, or where it has none those before or after it: what
  // was measured then says nothing of a rank.
  bool is_disturbed(std::size_t slot) const;
  double expected_log(int rail) const { return log + rail_offset[static_cast<std::size_t>(rail)]; }
};
// The share that a rank which is always slow must be below to be found for sure.
double visible_share(const Reference& reference, const Limit& limit);
// `estimate` is of the rounds. REQUIRES: a control.
Reference reference_of(const Layout& layout, std::span<const Rate> controls,
                       const Estimate& estimate, const Limit& limit);

// Of controls; low by what the reference says of a pair.
std::vector<Reference::Slot> slots_of(const Layout& layout, std::span<const Rate> controls,
                                      const Estimate& estimate, const Reference& reference);

// What is under test, a rank or the link between two, and what its pairs reached.
struct Suspect {
  Pair ranks{};  // of a rank: it, twice
  int rail = 0;
  std::vector<int> partners{};  // of a rank
  std::vector<Rate> beside{};   // few other pairs
  std::vector<Rate> alone{};    // by itself, where that was asked for

  bool is_link() const { return ranks.first != ranks.second; }
  int rank() const { return ranks.first; }
};

enum class State : std::uint8_t {
  fine,
  unclear,  // low with some partner: to be tested again
  slow,
  intermittent,  // both low and fine
};

struct Judged {
  State state = State::fine;
  double share = 1;       // of the reference: the median over partners
  double confidence = 0;  // that it is bad: see judge(); at most 0.99
  std::size_t low = 0;    // tests beside others

  bool bad() const { return state == State::slow || state == State::intermittent; }
};

// Slow: the median is below the limit, by more than chance, and that of each partner is low, too,
// which tells a rank from its links. Intermittent: low in at least three tests, with two partners
// where a rank has so many, yet not always; and, but for partners with which it always is, more
// often than controls are. Chance is what controls do. What is bad beside others must be so by
// itself, where that was tested, and with other partners: all but one of them.
Judged judge(const Suspect& suspect, const Reference& reference, const Limit& limit);

// Whether low tests are spread over time, which a burst of another program's load is not: low in
// three periods, each later than the last by a dozen slots or by a test that was fine; and, where
// three tests or more were fine, low both before and after a fine one.
bool is_spread(const Suspect& suspect, State state, const Reference& reference, const Limit& limit);

}  // namespace linerate::pairs
