// Machines whose speeds tests choose.
#pragma once

#include "plan/machine.h"
#include "plan/models.h"
#include "trainers/engine/config.h"

#include <functional>
#include <memory>
#include <string_view>
#include <utility>

namespace linerate::plan {

class ChosenKernels final : public ComputeModel {
 public:
  explicit ChosenKernels(std::function<double(const Kernel&)> us) : us_(std::move(us)) {}
  double us(const Kernel& kernel) const override { return us_(kernel); }

 private:
  std::function<double(const Kernel&)> us_;
};

class ChosenLinks final : public LinkModel {
 public:
  using Us = std::function<double(CallKind, CallGroup, double)>;
  explicit ChosenLinks(Us us) : us_(std::move(us)) {}
  double us(CallKind call, CallGroup group, double bytes) const override {
    return us_(call, group, bytes);
  }

 private:
  Us us_;
};

// All of them over a network, which needs no processor.
class ChosenNetwork final : public LinkModel {
 public:
  explicit ChosenNetwork(ChosenLinks::Us us) : us_(std::move(us)) {}
  double us(CallKind call, CallGroup group, double bytes) const override {
    return us_(call, group, bytes);
  }
  double network_us(CallKind call, CallGroup group, double bytes) const override {
    return us_(call, group, bytes);
  }

 private:
  ChosenLinks::Us us_;
};

inline double no_call(CallKind, CallGroup, double) { return 0; }
// 1 us for 1e6 operations.
inline double by_flops(const Kernel& kernel) { return flops_of(kernel) / 1e6; }
// Of attention alone, of which all layers have as much.
inline double attention_alone(const Kernel& kernel) {
  return kernel.kind == KernelKind::attention || kernel.kind == KernelKind::attention_backward
             ? by_flops(kernel)
             : 0;
}

inline Machine machine_of(int nranks, std::function<double(const Kernel&)> kernels,
                          ChosenLinks::Us links = no_call) {
  return {.name = "test",
          .nranks = nranks,
          .compute = std::make_shared<ChosenKernels>(std::move(kernels)),
          .links = std::make_shared<ChosenLinks>(std::move(links))};
}

inline trainers::TrainConfig training_of(std::string_view model, std::uint64_t batch = 8) {
  trainers::TrainConfig config;
  config.model = model_named(model).value();
  config.batch = batch;
  return config;
}

}  // namespace linerate::plan
