// JSON Lines to a file: a line per group and placement, each written whole and at once.
#pragma once

#include "output/sink.h"
#include "output/text_file.h"

#include <memory>
#include <string>

namespace linerate {

class JsonlSink final : public Sink {
 public:
  // Appends: runs that share a file are told apart by their run_id. Refuses a file of something
  // else, and one that ends within a line, because the next line would be lost with it.
  static Result<std::unique_ptr<JsonlSink>> open(const std::string& path);
  explicit JsonlSink(TextFile out);

  void begin(const RunInfo& run) override;
  void result(const Record& record) override;
  void end(const EndInfo& end) override;

 private:
  TextFile out_;
};

}  // namespace linerate
