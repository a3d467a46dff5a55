// What the memory of this host lets its ranks reach, asked right before and right after a run.
#pragma once

#include "bench/expect/expecter.h"
#include "bench/expect/host_bound.h"
#include "bench/session.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace linerate {

class HostExpecter final : public Expecter {
 public:
  // What a run is made of.
  struct Run {
    const std::vector<Case>& cases;
    std::size_t buffer_bytes = 0;  // of one rank's buffer
    const TrafficMatrix* traffic = nullptr;
    double barrier_us = 0;
    bool direct = true;           // Capabilities::direct
    bool crowded = false;         // ranks share cores; on rank 0
    std::size_t cache_bytes = 0;  // RunEvents::cache_bytes, on rank 0
  };

  // Measures, for 0.2 s at most where nothing else keeps the cores; the ranks' buffers are
  // overwritten. Null where results do not follow from one host's memory: ranks on GPUs, on several
  // hosts, on an emulated network, or each alone or in a group of its own. Collective over all
  // lanes.
  static std::unique_ptr<HostExpecter> measure(Session& session, const Run& run);

  // Nothing either for sizes of memory that there was no time to probe.
  std::optional<Expectation> of(const SizedCase& what) const override;

  std::vector<std::optional<Expectation>> of_groups(const GroupedCase& what) const override;

  const MemoryCurve& memory() const { return limits_.memory; }
  // The same once more, later. Collective over all lanes.
  MemoryCurve measure_again(Session& session) const;

 private:
  std::vector<std::size_t> wanted_sizes(const Session& session, const Run& run) const;
  void say_left_out(const Session& session) const;
  explicit HostExpecter(const Places& places) : places_(places) {}

  Places places_;
  std::vector<std::size_t> left_out_;  // sizes, in ascending order
  HostLimits limits_;
};

}  // namespace linerate
