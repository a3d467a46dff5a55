// What the hosts' memory, and TCP between several of them, let their ranks reach, asked right
// before and right after a run.
#pragma once

#include "bench/expect/expecter.h"
#include "bench/expect/host_bound.h"
#include "bench/expect/memory_run.h"
#include "bench/expect/network_limits.h"
#include "bench/expect/places.h"
#include "bench/session.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace linerate {

// The network between several hosts, probed first: where that fails memory need not be.
struct KnownNetwork {
  std::vector<NetworkPoint> probed{};
  NetworkLimits limits{};  // of what it should be
};

class HostExpecter final : public Expecter {
 public:
  // What a run is made of.
  struct Run {
    const std::vector<Case>& cases;
    BufferSizes buffers{};  // of one rank
    const TrafficMatrix* traffic = nullptr;
    MemoryRun memory{};
  };

  // Beyond it the closed forms, a part for each pair of ranks, take longer than they are worth.
  static constexpr int kMaxRanks = 1024;

  // Measures, for 0.2 s at most where nothing else keeps the cores; the ranks' buffers are
  // overwritten. Collective over all threads. Null where results do not follow from memory and TCP:
  //  - ranks on GPUs, or on an emulated network;
  //  - hosts between which something other than TCP carries data, or that cannot be probed;
  //  - groups on several hosts; no two ranks in a group; more than kMaxRanks.
  static std::unique_ptr<HostExpecter> measure(Session& session, const Run& run);

  // Nothing either for sizes of memory that there was no time to probe.
  std::optional<Expectation> of(const SizedCase& what) const override;

  std::vector<std::optional<Expectation>> of_groups(const GroupedCase& what) const override;

  // On rank 0; `network` is empty on one host.
  struct Probed {
    std::vector<MemoryPoint> memory{};
    std::vector<NetworkPoint> network{};
  };
  Probed probed() const;
  // The same once more, later. Collective over all threads.
  Probed measure_again(Session& session) const;

  // The nodes whose network makes results low, on rank 0.
  const std::vector<Suspect>& slow_nodes() const { return slow_nodes_; }

 private:
  std::vector<std::size_t> wanted_sizes(const Session& session, const Run& run) const;
  bool measure_network(Session& session, const Run& run);
  void measure_memory(Session& session, const Run& run);
  void say_left_out(const Session& session) const;
  double budget_us() const;
  std::optional<double> memory_us(const Touched& touched, bool known) const;
  explicit HostExpecter(const Places& places) : places_(places) {}

  Places places_;
  std::optional<KnownNetwork> network_;  // nothing: the ranks are on one host
  std::vector<Suspect> slow_nodes_;
  std::vector<std::size_t> left_out_;  // sizes, in ascending order
  HostLimits limits_;
};

}  // namespace linerate
