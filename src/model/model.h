// How fast a collective call can be at most, from closed forms: pure arithmetic, no clock, no rank.
//
// Every form starts from what a result must hold (Collective::expect), so no algorithm does with
// less. The parts:
//   traffic        elements that each rank must read and write where memory is shared, and that
//                  must leave and enter each node
//   buffer_reuse   how much other memory the calls of a window touch before they return
//   memory_bound   memory bandwidth by footprint, as it was measured, the time it takes, and the
//                  bound on busbw over the memory of one host
//   network_bound  bound on busbw over the TCP between several hosts
//   host_model     both, chosen by what was measured; pairs of nodes that were probed
//   wire_bytes     what a call makes each rank send
// Of training, for the trainers and who plans for them:
//   training_flops  operations per token, by the conventions of published MFU and HFU
//   training_bytes  what each rank sends in a step and holds, for every stage of ZeRO
// A bound holds for the slowest rank. Who compares it with results: src/diagnose.
#pragma once

#include "collectives/collective.h"
#include "record/record.h"

#include <memory>
#include <optional>
#include <span>

namespace linerate {

// One call of a collective, whichever its rank.
struct ModeledCall {
  const Collective* collective = nullptr;
  DataType type = DataType::float32;
  RedOp op = RedOp::sum;
  int root = 0;
  Placement placement = Placement::out_of_place;
  Sizing sizing{};  // sizing.rank does not matter

  double element_bytes() const { return static_cast<double>(bytes_of(type)); }
  // What algbw counts.
  double algbw_bytes() const {
    return static_cast<double>(algbw_count(*collective, sizing)) * element_bytes();
  }
  double bus_factor() const { return collective->bus_factor(sizing.nranks); }
  Sizing sizing_of_rank(int rank) const {
    Sizing of_rank = sizing;
    of_rank.rank = rank;
    return of_rank;
  }
};

// Knows the bound of a call on the machines of one run.
class PerformanceModel {
 public:
  virtual ~PerformanceModel() = default;
  // Nothing where the call's bound is not known.
  virtual std::optional<Expectation> bound(const ModeledCall& call) const = 0;
  // The same model on what was probed once more, after the run; null where it rests on no probe, or
  // nothing was probed.
  virtual std::unique_ptr<const PerformanceModel> probed_again(
      std::span<const MemoryPoint> memory, std::span<const NetworkPoint> network) const;
};

inline std::unique_ptr<const PerformanceModel> PerformanceModel::probed_again(
    std::span<const MemoryPoint>, std::span<const NetworkPoint>) const {
  return nullptr;
}

}  // namespace linerate
