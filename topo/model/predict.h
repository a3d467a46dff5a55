// What NCCL will choose for a call, how long it takes, and where the choice changes.
#pragma once

#include "topo/model/bandwidth.h"
#include "topo/model/cost.h"
#include "topo/model/reduction.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace linerate::topo {

struct Prediction {
  std::size_t bytes = 0;  // as nccl-tests counts: the larger of the send and the receive buffer
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
  int channels = 0;
  double time_us = 0;
  double algbw_gbps = 0, busbw_gbps = 0;
};

// Where larger calls go another scheme.
struct Crossover {
  std::size_t bytes = 0;  // the first size, to the nearest 64 bytes
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
};

// What a call's time is made of.
struct TimeParts {
  double latency_us = 0, transfer_us = 0;

  double total_us() const { return latency_us + transfer_us; }
};

// The predictions of one job. Thread-compatible.
class Predictor {
 public:
  explicit Predictor(const JobShape& job);

  // As NCCL chooses it. REQUIRES: bytes > 0, and a job of two ranks at least.
  Prediction predict(Function function, std::size_t bytes, const Reduced& what = {}) const;
  // Of one way; nothing where NCCL does not use it.
  std::optional<double> time_us(const Scheme& scheme, std::size_t bytes) const;
  std::optional<TimeParts> time_parts(const Scheme& scheme, std::size_t bytes) const;
  // From `least` bytes to `most`; the first one is the choice at `least`.
  std::vector<Crossover> crossovers(Function function, std::size_t least, std::size_t most,
                                    const Reduced& what = {}) const;
  const CostTable& costs() const { return costs_; }
  const JobShape& job() const { return job_; }

 private:
  int channels_for(const Scheme& scheme, std::size_t bytes) const;

  JobShape job_;
  CostTable costs_;
};

}  // namespace linerate::topo
