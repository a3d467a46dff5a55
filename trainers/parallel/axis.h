// A group of ranks that a trainer communicates with for one purpose: its communicator, the stream
// that its calls run on beside compute, and an account of what they carried.
#pragma once

#include "comm/comm_decorator.h"
#include "comm/communicator.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate::trainers {

// A call's interval on its stream, and what it was for.
struct TracedCall {
  std::string_view axis{}, purpose{};
  std::uint64_t bytes = 0;
  Event start{}, end{};
};

// The purpose of the calls by which ranks compare their clocks, between steps.
inline constexpr std::string_view kMetricsPurpose = "metrics";

// Bytes sent, by axis and purpose: the words of the calls' tags.
using SentBytes = std::map<std::pair<std::string, std::string>, std::uint64_t>;

// Counts what passes; keeps the calls' intervals until they are taken.
class CountedComm final : public CommDecorator {
 public:
  // Around one that outlives it.
  using CommDecorator::CommDecorator;

  const SentBytes& bytes() const { return bytes_; }
  std::vector<TracedCall> take_calls() { return std::exchange(calls_, {}); }

  // The calls on `stream` that `make` makes are traced as one, of this tag: what each rank does of
  // a pattern of sends and receives.
  template <typename Make>
  void as_one(const Tag& tag, Stream& stream, Make make) {
    TracedCall call{.axis = tag.axis, .purpose = tag.purpose, .start = stream.record()};
    within_ = &call;
    make();
    within_ = nullptr;
    call.end = stream.record();
    calls_.push_back(std::move(call));
  }

 private:
  void issue(std::span<const Op> ops, Stream& stream) override;
  std::unique_ptr<Communicator> decorate(std::unique_ptr<Communicator> part) const override {
    return std::make_unique<CountedComm>(std::move(part));
  }

  SentBytes bytes_;
  std::vector<TracedCall> calls_;
  TracedCall* within_ = nullptr;  // of as_one()
};

class Axis;

// A point of an axis' stream that compute may wait for.
struct RecordedPoint {
  Event at{};
  const Axis* before = nullptr;  // whose point the stream waited for in turn
};

// Used by the rank's thread.
class Axis {
 public:
  // `comm` outlives it. `title`: of its stream, where several axes have one name.
  Axis(std::string_view name, Communicator& comm, std::string title = {})
      : name_(name),
        title_(title.empty() ? std::string(name) : std::move(title)),
        comm_(comm),
        stream_(comm.device().open_stream(StreamKind::async)) {}

  int rank() const { return comm_.rank(); }
  int nranks() const { return comm_.nranks(); }
  CountedComm& comm() { return comm_; }
  Stream& stream() { return *stream_; }
  // The point behind all its calls so far. `before`: the axis that the last ones wait for.
  Event record(const Axis* before = nullptr) {
    return points_.emplace_back(RecordedPoint{stream_->record(), before}).at;
  }
  // Since they were taken last.
  std::vector<RecordedPoint> take_points() { return std::exchange(points_, {}); }
  const std::string& title() const { return title_; }
  Tag tag(std::string_view purpose) const { return {.axis = name_, .purpose = purpose}; }

 private:
  const std::string_view name_;
  const std::string title_;
  CountedComm comm_;
  const std::unique_ptr<Stream> stream_;
  std::vector<RecordedPoint> points_;
};

}  // namespace linerate::trainers
