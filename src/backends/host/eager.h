// Small collectives: what a rank gives to its peers travels in its cell, beside the flag: one wait,
// no second signal.
#pragma once

#include "backends/host/team.h"
#include "comm/op.h"

#include <cstddef>
#include <span>
#include <vector>

namespace linerate::host {

// Of one communicator; used by the thread that uses it.
class Eager {
 public:
  // `team` outlives this.
  explicit Eager(Team& team);

  // REQUIRES: kEager.defined() for the call.
  void run(const Op& op);

 private:
  void enter(const Op& op, ConstView deposit);
  void prefetch_next(const Op& op);
  void see(std::span<const int> peers, std::size_t bytes);
  void dispatch(const Op& op);
  void reduce_deposits(const Op& op, std::size_t skip);
  void collect_deposits(const Op& op, std::size_t skip);
  void run_to_all(const Op& op);
  void run_to_root(const Op& op);
  void run_from_root(const Op& op);

  Team& team_;
  ResultPrefetch result_;
  std::vector<const std::byte*> sources_;
  std::vector<double> factors_;
};

}  // namespace linerate::host
