// AdamW over what a rank steps.
#pragma once

#include "trainers/checkpoint/manifest.h"
#include "trainers/engine/config.h"
#include "trainers/engine/gradients.h"
#include "trainers/engine/parameter_store.h"

#include <cstdint>
#include <vector>

namespace linerate::trainers {

// Parameters in full precision, and both moments, of this rank's slices: in memory, or in a
// mapped file, of which a step has a small part in memory at a time. Used by one thread.
class Adam {
 public:
  // All references outlive it. Throws Error where the file cannot be made.
  Adam(const TrainConfig& config, const GradientPlan& plan, const GradientTools& tools);

  // Initial values, of the table's rules and the seed, for all that this rank steps.
  void initialise(ParameterStore& store);
  // With gradients times `gradient_scale`.
  struct Update {
    double lr = 0;
    std::int64_t number = 1;  // from 1: the bias correction goes by it
  };
  void step(const Update& update, double gradient_scale, Gradients& gradients,
            ParameterStore& store);

  const std::vector<ParameterSlice>& slices() const { return slices_; }
  // Where the slice is kept in full precision.
  Array master(const ParameterSlice& slice, ParameterStore& store) const;
  // The same, or where its moments are.
  Array state(StateKind kind, const ParameterSlice& slice, ParameterStore& store) const;
  DataType state_type() const { return wide_; }
  // What was used of it leaves memory, where it lies in a file.
  void leave_file();
  // The parameters become what the masters are.
  void take_masters(ParameterStore& store);

 private:
  Array in_store(const ParameterSlice& slice, ParameterStore& store) const;
  // Before a step of the slice.
  void enter_file(const ParameterSlice& slice);
  // Else they are the parameters themselves.
  bool keeps_masters() const { return bytes_of(tools_.type) < sizeof(float); }
  void allocate();
  void step_slice(const ParameterSlice& slice, AdamW what, Gradients& gradients,
                  ParameterStore& store);

  const TrainConfig& config_;
  const GradientPlan plan_;
  const GradientTools tools_;
  const std::vector<ParameterSlice> slices_;
  const DataType wide_;  // of masters and moments
  const bool offloaded_;
  Block state_;
  // In it; masters only where parameters have 16 bits, else empty.
  Array masters_, m_, v_;
};

}  // namespace linerate::trainers
