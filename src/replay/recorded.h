// What PyTorch recorded of a rank's calls, and the calls that these are.
#pragma once

#include "replay/pytorch.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace linerate::replay {

// A call of record_param_comms in the words of PyTorch.
struct Recorded {
  std::string name{}, type{}, group{}, about_group{};
  std::uint64_t in = 0, out = 0;
  std::vector<std::int64_t> in_split{}, out_split{}, ranks{};
  bool ranks_are_whole = false;
  int nranks = 0, rank = -1, first = -1, stride = 0;
  std::int64_t external_id = -1;
  double start_us = 0;
};

// Puts what was recorded together, once the whole file is read.
class Recording {
 public:
  // What moves no data is none: PyTorch records the wait for each call, too.
  void add(Recorded call) {
    if (call.name != "wait" && call.name != "init") recorded_.push_back(std::move(call));
  }
  void add_kernel(std::int64_t external_id, const TimeSpan& span) {
    kernels_.emplace(external_id, span);
  }
  void add_step(const TimeSpan& span) { trace_.calls.steps.push_back(span); }
  void add_group(std::string name, std::vector<std::int64_t> ranks) {
    groups_[std::move(name)] = std::move(ranks);
  }
  PytorchTrace& trace() { return trace_; }
  bool empty() const { return recorded_.empty(); }

  PytorchTrace build();

 private:
  std::optional<std::string> add_call(const Recorded& recorded);
  std::vector<int> ranks_of(const Recorded& recorded) const;
  std::size_t place_of(const Recorded& recorded, std::vector<int> ranks);

  PytorchTrace trace_;
  std::vector<Recorded> recorded_;
  std::map<std::int64_t, TimeSpan> kernels_;
  std::map<std::string, std::vector<std::int64_t>> groups_;
  std::map<std::pair<std::string, std::vector<int>>, std::size_t> places_;
  std::map<std::size_t, double> latest_us_;  // start of a call of each group
};

}  // namespace linerate::replay
