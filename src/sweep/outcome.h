// How a case ended: what its exit code and its records say together.
#pragma once

#include "record/json_lines.h"

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace linerate::sweep {

enum class Outcome : std::uint8_t {
  ok,
  slow,      // right, and slower than it should be, or than a limit in its options
  wrong,     // wrong data
  crashed,   // it began, and ended without its results
  hung,      // it took longer than the limit, or linerate's own -T
  no_start,  // it never began to measure: refused, not installed, or its ranks did not meet
};
inline constexpr std::array kOutcomes{Outcome::ok,      Outcome::slow, Outcome::wrong,
                                      Outcome::crashed, Outcome::hung, Outcome::no_start};
std::string_view name_of(Outcome outcome);  // "no_start"
std::optional<Outcome> outcome_of(std::string_view name);
std::string names_of(const std::set<Outcome>& outcomes);  // "crashed,hung"
std::set<Outcome> outcomes_in(std::string_view names);    // what is no outcome's is left out

struct Ending {
  int code = 0;  // of the process: its exit code, or 128 and the signal
  double limit_s = 0;
  bool cut = false;         // it was ended for the limit
  std::string_view said{};  // its last line, or how it ended; empty: it said nothing
};

struct Judged {
  Outcome outcome = Outcome::ok;
  std::string reason{};  // a sentence or phrase; empty where the outcome is ok
};

// `records` is what it wrote until then; of a table on stdout, what could be read of it.
Judged judged(const Ending& ending, const RunFile& records);

// The same of a run that was measured elsewhere: only its records tell.
Judged judged(const RunFile& records);

}  // namespace linerate::sweep
