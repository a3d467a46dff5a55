// The machine that a plan is for: how fast a rank computes, how fast groups of ranks call each
// other, what a rank can hold. Two kinds:
//   gpu_machine.h       a cluster of GPUs, from data sheets, NCCL's model and published benchmarks
//   measured_machine.h  this machine, from the suite's own benchmarks of calls and of Math
#pragma once

#include "comm/data_type.h"
#include "plan/kernels.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

namespace linerate::plan {

// What groups of ranks do. Bytes are those of nccl-tests: of the larger buffer, of a message.
enum class CallKind : std::uint8_t { all_reduce, all_gather, reduce_scatter, all_to_all, message };
inline constexpr std::string_view kCallNames[] = {"all_reduce", "all_gather", "reduce_scatter",
                                                  "all_to_all", "sendrecv"};

// `size` ranks, each `stride` after the one before; with a `run`, so many of them, and then as many
// again, each run `jump` after the one before. All such groups of the job call at once. Of a
// message the group is both ends, or a ring of which each sends to the next.
struct CallGroup {
  int size = 1, stride = 1;
  int run = 0, jump = 0;

  auto operator<=>(const CallGroup&) const = default;
};

class LinkModel {
 public:
  virtual ~LinkModel() = default;
  // REQUIRES: two ranks at least. Of no bytes 0.
  virtual double us(CallKind call, CallGroup group, double bytes) const = 0;
  // Of that, what a network takes while no processor of the ranks is needed; where it is not known,
  // none: Machine::processors says whether calls need any.
  virtual double network_us(CallKind, CallGroup, double) const { return 0; }
};

struct Machine {
  std::string name{};
  int nranks = 1;      // of the job
  int node_ranks = 0;  // of each node; 0: all ranks are equally far apart, in any order
  DataType type = DataType::float32;
  std::shared_ptr<const ComputeModel> compute{};  // of a rank that has a processor to itself
  std::shared_ptr<const LinkModel> links{};
  double memory_bytes = 0;  // of a rank; 0: unknown
  double peak_flops = 0;    // of a rank, for MFU; 0: unknown
  // Processors that all ranks share: of this machine its cores. Where they are fewer than what
  // wants to run, each gets its share; and calls of host memory run on them too. Infinite: each
  // rank has its own, and a call runs beside it.
  double processors = std::numeric_limits<double>::infinity();

  // Of a rank's processor, while all ranks compute.
  double share() const { return processors < nranks ? processors / nranks : 1; }
  // Of a call that runs beside compute, how much costs compute nothing.
  double hidden_share() const {
    const double spare = processors / nranks - 1;
    return spare < 0 ? 0 : spare > 1 ? 1 : spare;
  }
};

}  // namespace linerate::plan
