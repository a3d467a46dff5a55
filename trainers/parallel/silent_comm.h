// A communicator whose calls do nothing: what a step takes without communication.
#pragma once

#include "comm/comm_decorator.h"
#include "trainers/parallel/axis.h"

#include <cassert>
#include <memory>
#include <span>

namespace linerate::trainers {

// Buffers keep what they hold: the results mean nothing. Calls of kMetricsPurpose are made.
class SilentComm final : public CommDecorator {
 public:
  using CommDecorator::CommDecorator;

 private:
  void issue(std::span<const Op> ops, Stream& stream) override {
    assert(!ops.empty());  // all of a batch are of one purpose
    if (ops.front().tag.purpose == kMetricsPurpose) CommDecorator::issue(ops, stream);
  }
  std::unique_ptr<Communicator> decorate(std::unique_ptr<Communicator> part) const override {
    return std::make_unique<SilentComm>(std::move(part));
  }
};

}  // namespace linerate::trainers
