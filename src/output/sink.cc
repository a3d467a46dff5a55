// The first exception waits until every sink has had the call.
#include "output/sink.h"

#include <exception>

namespace linerate {

template <typename Call>
void SinkList::each(Call call) {
  std::exception_ptr first;
  for (const auto& sink : sinks_) {
    try {
      call(*sink);
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

void SinkList::begin(const RunInfo& run) {
  each([&](Sink& sink) { sink.begin(run); });
}

void SinkList::result(const Record& record) {
  each([&](Sink& sink) { sink.result(record); });
}

void SinkList::row(std::span<const Record> table) {
  each([&](Sink& sink) { sink.row(table); });
}

void SinkList::end(const EndInfo& end) {
  each([&](Sink& sink) { sink.end(end); });
}

}  // namespace linerate
