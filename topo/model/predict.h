// What NCCL will choose for a call, how long it takes, and where the choice changes.
//
// The folder repeats NCCL's src/graph/tuning.cc: job.h gathers what the ranks know of each other,
// constants.h has NVIDIA's tables by version, cost.h computes latency and bandwidth of every
// function, algorithm and protocol, and Predictor chooses as NCCL does. Collectives that NCCL makes
// of sends and receives have no model there: p2p_model.h says what their ranks send, and
// bounds the time by the busiest link.
#pragma once

#include "comm/data_type.h"
#include "topo/model/cost.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace linerate::topo {

// Of collectives that move without reducing, neither counts: NCCL moves bytes.
struct Reduced {
  DataType type = DataType::float32;
  RedOp op = RedOp::sum;
};

// Whether a way of doing a function can do that type and operator: NVSwitches add and compare some
// types only, and PAT does not scale (src/include/device.h, ncclNvlsSupported; src/enqueue.cc,
// updateCollCostTable).
bool can_reduce(const Scheme& scheme, const Reduced& what);

// Whether NCCL takes the way only where there is no other: since 2.24, rings that would add up
// 8-bit numbers over more than 8 ranks, which loses them (src/enqueue.cc).
bool is_avoided(const JobShape& job, const Scheme& scheme, const Reduced& what);

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

  // Whether there is a way at all: lists in NCCL's variables may leave none.
  bool can_do(Function function, const Reduced& what = {}) const;
  // As NCCL chooses it. REQUIRES: bytes > 0, a job of two ranks at least, and can_do().
  Prediction predict(Function function, std::size_t bytes, const Reduced& what = {}) const;
  // Of one way, chosen or not; nothing where NCCL does not use it.
  std::optional<Prediction> predict_way(const Scheme& scheme, std::size_t bytes,
                                        const Reduced& what = {}) const;
  // Of one way; nothing where NCCL does not use it for such a call.
  std::optional<double> time_us(const Scheme& scheme, std::size_t bytes,
                                const Reduced& what = {}) const;
  std::optional<TimeParts> time_parts(const Scheme& scheme, std::size_t bytes,
                                      const Reduced& what = {}) const;
  // As the table has it, or that of rings where it leaves such a call nothing else.
  const Cost& cost(const Scheme& scheme, const Reduced& what = {}) const;
  // From `least` bytes to `most`; the first one is the choice at `least`.
  std::vector<Crossover> crossovers(Function function, std::size_t least, std::size_t most,
                                    const Reduced& what = {}) const;
  const JobShape& job() const { return job_; }

 private:
  bool table_has_a_way(Function function, const Reduced& what) const;
  int channels_for(const Scheme& scheme, std::size_t bytes) const;

  JobShape job_;
  CostTable costs_;
};

// Why NCCL does not use an algorithm with a protocol: a phrase such as "NCCL_ALGO=Ring"; empty: it
// is used. Holds exactly where predict_way() yields nothing.
std::string why_unused(const Predictor& predictor, const Scheme& scheme, const Reduced& what = {});

}  // namespace linerate::topo
