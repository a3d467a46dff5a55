// One case in one placement, from filling to the gathered measurement; the same steps on every
// lane.
#pragma once

#include "bench/events.h"
#include "bench/measurement.h"
#include "bench/sampling.h"
#include "bench/session.h"

#include <memory>
#include <vector>

namespace linerate {

class CaseRunner {
 public:
  // `buffer_bytes`: of one buffer of each rank, without -u's lead.
  CaseRunner(Session& session, std::size_t buffer_bytes, double clock_cost_ns,
             const TrafficMatrix* traffic);

  // fill -> warm up -> (window -> samples) until the stopping rule holds -> verify -> gather.
  // Collective over all lanes; yields the measurement on rank 0 and an empty one elsewhere.
  Measurement run(const Case& what, Placement placement);

  // The lanes of the whole run, then of each group where there are several.
  const std::vector<LaneSet>& lane_sets() const { return lane_sets_; }

 private:
  struct Decision {
    int batch = 1;
    bool stop = true;
  };
  CaseOnLane prepare(const Case& what, Placement placement) const;
  void fill_sliding(const CaseOnLane& on_lane, std::uint64_t calls);
  void measure(const CaseOnLane& on_lane, CaseLauncher& launcher, Measurement& m);
  void sample(const CaseOnLane& on_lane, CaseLauncher& launcher, Measurement& m);
  std::vector<WindowTime> gather_times(const WindowTime& mine);
  Decision decide(Measurement& m, std::int64_t start_ns, bool sampled);
  void verify(const CaseOnLane& on_lane, CaseLauncher& launcher, Measurement& m);
  void gather_checks(const std::vector<RankCheck>& mine, Measurement& m);
  void enter(const char* stage, const CaseOnLane& on_lane);
  bool keeps_spare(const CaseOnLane& on_lane) const;

  Session& session_;
  std::size_t buffer_bytes_;
  double clock_cost_ns_;
  const TrafficMatrix* traffic_;
  std::vector<LaneSet> lane_sets_;
  Sampler sampler_;
};

}  // namespace linerate
