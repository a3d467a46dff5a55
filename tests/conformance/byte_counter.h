// A tracing decorator: how many bytes this rank's calls moved, by the axis of their tag.
#pragma once

#include "comm/comm_decorator.h"

#include <map>
#include <memory>
#include <string>

namespace linerate::conformance {

class ByteCounter final : public CommDecorator {
 public:
  using Totals = std::map<std::string, std::size_t, std::less<>>;

  ByteCounter(std::unique_ptr<Communicator> inner, std::shared_ptr<Totals> totals)
      : CommDecorator(std::move(inner)), totals_(std::move(totals)) {}

 protected:
  void issue(std::span<const Op> ops, Stream& stream) override {
    for (const Op& op : ops) {
      const Extent extent = extent_of(op, rank(), nranks());
      (*totals_)[std::string(op.tag.axis)] += extent.send + extent.recv;
    }
    CommDecorator::issue(ops, stream);
  }
  std::unique_ptr<Communicator> decorate(std::unique_ptr<Communicator> part) const override {
    return std::make_unique<ByteCounter>(std::move(part), totals_);
  }

 private:
  const std::shared_ptr<Totals> totals_;
};

}  // namespace linerate::conformance
