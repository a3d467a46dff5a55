// A backend's algorithms against each other: the same call by each in turn, many times.
#pragma once

#include "base/clock.h"
#include "comm/bootstrap.h"
#include "comm/communicator.h"
#include "stats/summary.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

// One algorithm's time of a call: of each window the mean over its calls on the slowest rank.
struct Candidate {
  std::string algorithm{};
  stats::Summary us{};
};

struct RaceResult {
  OpKind kind{};
  int nranks = 0;
  std::size_t bytes = 0;  // of the larger buffer of a rank: the size that the tools print
  std::string chosen{};   // what the backend takes by itself
  std::vector<Candidate> candidates{};  // in the backend's order

  const Candidate* find(std::string_view algorithm) const;
  // The lowest median. REQUIRES: there are candidates.
  const Candidate& best() const;
  // Median of the chosen one over the best one's; 1 when the chosen one did not run.
  double chosen_over_best() const;
};

// One thread of a race; every thread has one, and all make the same calls. Windows of all
// algorithms alternate, in an order that changes from round to round, so that a machine that
// changes its mood does so for all.
class Race {
 public:
  struct Limits {
    int rounds = 15;         // windows of each algorithm
    int rounds_of_long = 7;  // where one call takes longer than a window
    double window_us = 300;
  };

  // Allocates two buffers of `max_bytes`. `member` and `comm` are of the same ranks; all outlive
  // it.
  Race(Bootstrap& member, Communicator& comm, const Clock& clock, std::size_t max_bytes);

  // Whether `bytes` are at least one element for each rank that gets a block of its own.
  static bool runs(OpKind kind, std::size_t bytes, int nranks);

  // Collective. Float sums from root 0, out of place; the times are complete on thread 0 only.
  // REQUIRES: runs(), and bytes <= max_bytes.
  RaceResult run(OpKind kind, std::size_t bytes, const Limits& limits);

 private:
  struct Plan {
    std::uint64_t calls = 1;  // of a window
    int rounds = 1;
  };

  Op op_of(OpKind kind, std::size_t bytes);
  std::vector<std::string_view> defined_for(const Op& op);
  std::vector<double> windows(const Op& op, const std::vector<std::string_view>& names,
                              const Plan& plan);
  double window(const Op& op, std::string_view algorithm, std::uint64_t calls);
  std::uint64_t calls_for(double call_us, const Limits& limits);
  std::vector<double> slowest(const std::vector<double>& own);

  Bootstrap& bootstrap_;
  Communicator& comm_;
  const Clock& clock_;
  std::unique_ptr<Stream> stream_;
  Buffer send_, recv_;
};

}  // namespace linerate
