// See jsonl_sink.h.
#include "output/jsonl_sink.h"

#include "record/json_lines.h"

#include <fmt/format.h>

#include <utility>

namespace linerate {

Result<std::unique_ptr<JsonlSink>> JsonlSink::open(const std::string& path) {
  auto file = TextFile::append(path);
  if (!file) return file.failure();
  if (const auto first = file->beginning(1); !first.empty() && first != "{")
    return Failure{
        fmt::format("'{}' holds something else than JSON Lines: choose another file.", path)};
  if (!file->ends_with_line())
    return Failure{fmt::format(
        "'{}' ends in the middle of a line: remove that line, or choose another file.", path)};
  return std::make_unique<JsonlSink>(*std::move(file));
}

JsonlSink::JsonlSink(TextFile out) : out_(std::move(out)) {}

void JsonlSink::begin(const RunInfo& run) { out_.write(json_line(run)); }

void JsonlSink::result(const Record& record) { out_.write(json_line(record)); }

void JsonlSink::end(const EndInfo& end) { out_.write(json_line(end)); }

}  // namespace linerate
