// What the lines below the table say of how fast the results should have been.
#pragma once

#include "record/verdict.h"

#include <span>
#include <string>
#include <vector>

namespace linerate {

// What probes found before the run.
struct ProbedBefore {
  std::vector<MemoryPoint> memory{};
  std::vector<NetworkPoint> network{};
};

// Collects the results of a run; those that nobody can judge are left out.
class VerdictText {
 public:
  void add(const Record& record);

  // The summary; with `each`, a line for each result first. Empty where nothing was judged.
  std::string lines(bool each, const ProbedBefore& before, const EndInfo& end) const;

 private:
  std::string result_line(const Record& record) const;
  std::string summary(std::span<const Suspect> suspects) const;
  const Record& least() const;
  bool any_bound_by_memory() const;

  std::vector<Record> judged_;  // without their samples' values
};

}  // namespace linerate
