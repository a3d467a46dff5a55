// This machine as the suite's own benchmarks have measured it: calls of Math (math_perf) and
// collectives (all_reduce_perf and its siblings, by groups of all ranks at once). Over an emulated
// network (docs/emulation.md) calls are measured by which ranks are a group, too.
#pragma once

#include "base/result.h"
#include "plan/machine.h"
#include "trainers/engine/config.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate::plan {

// One processor's times, while as many compute as the job's ranks occupy. Of kernels that were not
// measured, the nearest of its kind by sizes has its rate.
class MeasuredKernels final : public ComputeModel {
 public:
  explicit MeasuredKernels(std::map<Kernel, double> us) : us_(std::move(us)) {}

  double us(const Kernel& kernel) const override;
  const std::map<Kernel, double>& all() const { return us_; }

 private:
  const std::map<Kernel, double> us_;
};

struct MeasuredCall {
  CallKind call = CallKind::all_reduce;
  CallGroup group{.size = 2};  // without a network of its size alone
  double bytes = 0, us = 0;

  bool operator==(const MeasuredCall&) const = default;
};

// Between two sizes the time is interpolated, below the smallest it is that one's, beyond the
// largest it grows with the bytes. Ranks of one host are equally far apart: strides do not matter.
// Those of an emulated network are not: `over_network` are calls of the same kinds and sizes, each
// group by itself. What they take longer than on the host needs no processor.
class MeasuredLinks final : public LinkModel {
 public:
  explicit MeasuredLinks(const std::vector<MeasuredCall>& calls,
                         const std::vector<MeasuredCall>& over_network = {});

  double us(CallKind call, CallGroup group, double bytes) const override;
  double network_us(CallKind call, CallGroup group, double bytes) const override;

 private:
  using Points = std::map<double, double>;  // time by bytes
  using Calls = std::map<std::pair<CallKind, CallGroup>, Points>;
  static Calls by_group(const std::vector<MeasuredCall>& calls);
  static double us_in(const Calls& calls, CallKind call, CallGroup group, double bytes);

  const Calls us_, over_network_us_;
};

// An emulated network that calls were measured over.
struct MeasuredNetwork {
  std::string file{};  // the text of --emulate's file; empty: there is none
  int node_ranks = 0;
  std::vector<MeasuredCall> calls{};
};

// What was measured, as a file holds it.
struct Measurements {
  std::string host{};
  int nranks = 1, cores = 1;
  double memory_bytes = 0;  // free, of all ranks together
  std::map<Kernel, double> kernels_us{};
  std::vector<MeasuredCall> calls{};
  MeasuredNetwork network{};
};
inline constexpr std::size_t kMostMeasurementBytes = std::size_t{16} << 20;
std::string measurements_json(const Measurements& measured);
// Or what goes on behind the file's name: ": ...".
Result<Measurements> read_measurements(std::string_view text);

Machine measured_machine(const Measurements& measured);

// What predictions of the layouts will ask for: to be measured.
struct Needs {
  std::vector<Kernel> kernels{};
  struct Calls {
    CallKind call = CallKind::all_reduce;
    CallGroup group{.size = 2};
    double least_bytes = 0, most_bytes = 0;
  };
  std::vector<Calls> calls{};         // by the size of the group
  std::vector<Calls> over_network{};  // by the group, where nodes are told apart
};
// `node_ranks`: of a node of the network, 0: there is none.
Needs needs_of(const std::vector<trainers::TrainConfig>& layouts, DataType type, int nranks,
               int node_ranks = 0);

}  // namespace linerate::plan
