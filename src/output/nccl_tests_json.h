// The report of nccl-tests' -J (version 3), readable by its analyser, and always valid JSON.
//
// As in nccl-tests, truth values are the strings "true" and "false" and the root is a padded
// string. Unlike it, numbers that are not finite are null, every rank's device is listed, and the
// environment is the allow-list of the run line.
#pragma once

#include "output/sink.h"
#include "output/table_text.h"
#include "output/text_file.h"

#include <memory>
#include <string>
#include <string_view>

namespace linerate {

class NcclTestsJson final : public Sink {
 public:
  // A new file: `path`, or where it exists path.0, path.1, …; path() tells which.
  static Result<std::unique_ptr<NcclTestsJson>> open(const std::string& path);
  explicit NcclTestsJson(TextFile out);

  const std::string& path() const { return out_.path(); }
  // The run's options, known only after `open`. REQUIRES: called before begin.
  void set_options(TableOptions options) { options_ = std::move(options); }

  // Results are written as they come, so that memory stays bounded however long the run. The file
  // is whole JSON from `open` on: until begin() it says that the run has not begun, and until end()
  // that it has not ended.
  void begin(const RunInfo& run) override;
  void row(std::span<const Record> table) override;
  void end(const EndInfo& end) override;

 private:
  void put(std::string_view text, const EndInfo& end);

  TextFile out_;
  TableOptions options_;
  std::string tail_;  // what follows the results, as the file has it
  bool begun_ = false;
  bool any_result_ = false;
};

}  // namespace linerate
