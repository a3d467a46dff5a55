// A machine that runs all ranks' schedules in a random order, on symbols instead of numbers, and
// tells races from ordered accesses by vector clocks.
#pragma once

#include "backends/host/algorithms/algorithm.h"
#include "backends/host/schedule/compiled.h"
#include "backends/host/schedule/schedule.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace linerate::host {

// What an element holds: how often each rank's input went into it (4 bits a rank, so at most 16
// ranks), and which element of theirs.
struct Symbol {
  std::uint64_t parts = 0;
  std::size_t index = 0;

  friend bool operator==(const Symbol&, const Symbol&) = default;
};

inline std::uint64_t part_of(int rank) { return std::uint64_t{1} << (4 * rank); }

class ScheduleMachine {
 public:
  ScheduleMachine(const Algorithm& algorithm, const Problem& problem, bool in_place,
                  std::uint64_t seed);

  // Runs all steps. The first thing that went wrong: a deadlock, a race, a wait that is missing at
  // the end, a wrong result; empty: nothing.
  std::string run();

 private:
  using Clock = std::vector<std::uint32_t>;  // steps known to have ended, of each rank
  struct Access {
    int rank = 0;
    std::uint32_t step = 0;  // the first one is 1
  };
  struct Element {
    Symbol symbol;
    std::vector<Access> writes, reads;
  };

  Place home_of(Place place) const;
  Element& at(const Place& place, std::size_t i);
  void fill();
  bool ready(int rank) const;
  void step(int rank);
  void learn(int rank, const Wait& wait);
  void touch(int rank, Element& element, bool writes);
  bool knows(int rank, const Access& access) const;
  void check_end(int rank);
  void check_result(int rank);
  Symbol input(int rank, std::size_t index) const { return {part_of(rank), index}; }
  Symbol total(std::size_t index) const;
  void complain(const std::string& what);

  const Problem problem_;
  const bool in_place_;
  std::mt19937_64 random_;
  std::vector<Schedule> schedules_;
  std::vector<std::uint32_t> done_;
  std::vector<Clock> clocks_;
  std::vector<std::vector<Clock>> history_;  // [rank][steps]: its clock after so many
  std::map<std::array<std::size_t, 3>, Element> elements_;
  std::string complaint_;
};

}  // namespace linerate::host
