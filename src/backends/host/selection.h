// Which algorithm a call takes: the one that was asked for, else the fastest one measured.
#pragma once

#include "backends/host/algorithms/algorithm.h"
#include "comm/op.h"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace linerate::host {

// Up to `max_bytes` the calls of `kind` among at most `nranks` ranks take `algorithm`.
struct Rule {
  OpKind kind{};
  int nranks = 0;
  std::size_t max_bytes = 0;
  const Algorithm* algorithm = nullptr;
  bool measured_here = false;  // on the machine of its table; else it is a built-in one
};

// Of a communicator; the same on all its ranks. Used by one thread.
class Selection {
 public:
  // Of `rules` those hold that are for the least number of ranks that is not below `nranks`, or
  // else for the largest one there is. `rules` ascend in max_bytes.
  Selection(std::span<const Rule> rules, int nranks);

  // Null: choose again by size.
  void force(const Algorithm* algorithm) { forced_ = algorithm; }

  // REQUIRES: a collective other than all_to_all_v.
  const Algorithm& choose(const Problem& problem) const;

 private:
  struct Limit {
    std::size_t max_bytes = 0;
    const Algorithm* algorithm = nullptr;
  };

  std::array<std::vector<Limit>, kOpKinds> limits_;
  const Algorithm* forced_ = nullptr;
};

// Bytes of the larger buffer of a rank (of the root), by which rules are ordered: the size that the
// benchmarks print.
std::size_t payload_bytes(const Problem& problem);

// What is measured on the machine that built_in_machine() names.
std::span<const Rule> built_in_rules();
std::string_view built_in_machine();

}  // namespace linerate::host
