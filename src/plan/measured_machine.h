// This machine as the suite's own benchmarks have measured it: calls of Math (math_perf) and
// collectives (all_reduce_perf and its siblings, by groups of all ranks at once).
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
  int size = 2;  // ranks of the group
  double bytes = 0, us = 0;

  bool operator==(const MeasuredCall&) const = default;
};

// Between two sizes the time is interpolated, below the smallest it is that one's, beyond the
// largest it grows with the bytes. Ranks of one host are equally far apart: strides do not matter.
class MeasuredLinks final : public LinkModel {
 public:
  explicit MeasuredLinks(const std::vector<MeasuredCall>& calls);

  double us(CallKind call, CallGroup group, double bytes) const override;

 private:
  std::map<std::pair<CallKind, int>, std::map<double, double>> us_;
};

// What was measured, as a file holds it.
struct Measurements {
  std::string host{};
  int nranks = 1, cores = 1;
  double memory_bytes = 0;  // free, of all ranks together
  std::map<Kernel, double> kernels_us{};
  std::vector<MeasuredCall> calls{};
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
    int size = 2;
    double least_bytes = 0, most_bytes = 0;
  };
  std::vector<Calls> calls{};
};
Needs needs_of(const std::vector<trainers::TrainConfig>& layouts, DataType type, int nranks);

}  // namespace linerate::plan
