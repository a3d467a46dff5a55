// One thread's part of a probe: passes over its rank's own buffers, and when each began and ended.
#pragma once

#include "bench/clock_span.h"
#include "bench/probe/kernels.h"
#include "bench/session.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace linerate {

// What is timed, and the bandwidth that its best pass tells: kernels that read as much as they
// write are of one kind, from one place to another or in place.
struct ProbePass {
  std::string_view kernel;
  double MemoryPoint::*gbps;
};
inline constexpr ProbePass kProbePasses[] = {
    {"read", &MemoryPoint::read_gbps},     {"read_both", &MemoryPoint::read_gbps},
    {"write", &MemoryPoint::write_gbps},   {"nt_write", &MemoryPoint::write_gbps},
    {"copy", &MemoryPoint::copy_gbps},     {"nt_copy", &MemoryPoint::copy_gbps},
    {"combine", &MemoryPoint::copy_gbps},  {"nt_combine", &MemoryPoint::copy_gbps},
    {"update", &MemoryPoint::update_gbps}, {"merge", &MemoryPoint::update_gbps}};
inline constexpr int kProbeRepeats = 5;  // of each

enum class ProbeCompany : std::uint8_t { all_threads, alone };

// A thread's slice: half of it in send, half in recv, which need not be touched anew. A pass goes
// over the next part of it, so that a part comes back only after all others: a large slice is
// probed by a few parts of it.
class ThreadProbe {
 public:
  // The first rank's buffers are overwritten, by values that are normal numbers in each type; where
  // they are smaller than a slice of `most_bytes`, others are used.
  ThreadProbe(Session& session, std::size_t most_bytes);

  // All passes over a slice of `bytes`, which is gone through once before, unless it is large and
  // all that the buffers hold, and so what was touched last; where caches may hold it, it is
  // written too, since lines that another core has read are slower to write. Each pass begins when
  // all threads are there, which do the same, or at once.
  void measure(std::size_t bytes, ProbeCompany company = ProbeCompany::all_threads);
  // In the order of kProbePasses, each so many times; before them the first moment of measure().
  const std::vector<ClockSpan>& spans() const { return spans_; }

  // Bytes of a slice that a pass reads or writes, over and over where the slice is small.
  static std::size_t touched_bytes(std::size_t bytes);

 private:
  void time_pass(const probe::Kernel& kernel, std::size_t bytes, ProbeCompany company);
  void run_once(const probe::Kernel& kernel, std::size_t offset, std::size_t bytes);

  Session& session_;
  Buffer own_;  // empty: the rank's are used
  View send_, recv_;
  std::size_t next_part_ = 0;
  std::vector<ClockSpan> spans_;
};

}  // namespace linerate
