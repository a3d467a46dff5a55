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
  std::string name{}, type{};             // "allreduce", "Float"
  std::string group{}, about_group{};     // its name, and what it is for
  std::uint64_t in = 0, out = 0;          // elements that go in and come out, of all parts together
  std::vector<std::int64_t> in_split{};   // rows of the first dimension, to each rank in order
  std::vector<std::int64_t> out_split{};  // and from each; empty: all as many
  std::vector<std::int64_t> ranks{};      // of the group, in the job
  bool ranks_are_whole = false;           // false: PyTorch may have cut the list
  int nranks = 0;                         // of the group
  int rank = -1;                          // the root or peer, where there is one; -1: not told
  int first = -1, stride = 0;             // the group's ranks as a sequence; -1: not told
  std::int64_t external_id = -1;          // that its kernel shares; -1: none
  double start_us = 0;                    // on the file's clock, or a number in its order
};

// Puts what was recorded together, once the whole file is read.
class Recording {
 public:
  // What moves no data is none: PyTorch records the wait for each call, too.
  void add(Recorded call) {
    if (call.name != "wait" && call.name != "init") recorded_.push_back(std::move(call));
  }
  // A kernel of NCCL, which says when the call with this id ran. The first of an id counts. One
  // without an id belongs to a call from before the profile.
  void add_kernel(std::int64_t external_id, const TimeSpan& span) {
    if (external_id >= 0) kernels_.emplace(external_id, span);
  }
  // A step of training, in the order of the file.
  void add_step(const TimeSpan& span) { trace_.calls.steps.push_back(span); }
  // The ranks in the job of the group of this name. The last of a name counts.
  void add_group(std::string name, std::vector<std::int64_t> ranks) {
    groups_[std::move(name)] = std::move(ranks);
  }
  // What build() yields, before it: for the rank and the size of the job, which stand elsewhere.
  PytorchTrace& trace() { return trace_; }
  // Whether there is no call.
  bool empty() const { return recorded_.empty(); }

  // The calls in the order of their starts; of those left out, how many by reason. Once: what was
  // added is gone after it.
  PytorchTrace build();

 private:
  std::optional<std::string> add_call(const Recorded& recorded);
  bool set_peer(const Recorded& recorded, Call& call);
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
