// Several sinks as one: what one cannot take still reaches the others.
#pragma once

#include "output/sink.h"

#include <memory>
#include <vector>

namespace linerate {

// Every sink gets every call, also when an earlier one throws; then the first exception goes on. So
// a closed stdout does not cost a line of the files.
class SinkList final : public Sink {
 public:
  void add(std::unique_ptr<Sink> sink) { sinks_.push_back(std::move(sink)); }

  void begin(const RunInfo& run) override;
  void result(const Record& record) override;
  void row(std::span<const Record> table) override;
  void end(const EndInfo& end) override;

 private:
  template <typename Call>
  void each(Call call);

  std::vector<std::unique_ptr<Sink>> sinks_;
};

}  // namespace linerate
