// Where memcpy_perf's results go: matrices on stdout, JSON Lines and CSV in files.
#pragma once

#include "base/error.h"
#include "base/result.h"
#include "bench/memcpy/memcpy_run.h"
#include "cli/run_config.h"
#include "commands/live_progress.h"
#include "output/sink.h"
#include "output/text_file.h"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace linerate {

// The text of one test: a matrix with its extremes and sum, and why cells are missing.
std::string memcpy_matrix_text(const CopyPlan& plan, const std::map<CopyCell, double>& cells,
                               const CopyRepeat& repeat);

// What a run is about to do: a piece for each measurement, a call of it for each sample.
std::vector<Piece> pieces_of(std::span<const CopyPlan> plans, const CopyRepeat& repeat);

// What the measurement under way does now.
void tell_stage(CopyStage stage, Progress& line);

// Used by one thread.
class MemcpyOutput {
 public:
  // Opens the files that `config` names; a path that cannot be written is the user's mistake.
  static Result<std::unique_ptr<MemcpyOutput>> open(const RunConfig& config,
                                                    const std::function<bool()>& interrupted);

  // `note` stands below the GPUs. `plans` and `repeat` tell the progress what is to come.
  void begin(const RunInfo& run, const std::optional<std::string>& note,
             std::span<const CopyPlan> plans, const CopyRepeat& repeat);
  MemcpyEvents events(const CopyRepeat& repeat, std::function<bool()> interrupted);
  // `error` is the sentence of a run that could not go on.
  // `health` is the node's, with --watch-health.
  void end(ExitCode exit_code, const std::optional<std::string>& error,
           std::vector<NodeHealth> health);
  // Instead of both where `program` failed before begin: what the files then hold.
  void end_unbegun(const RunInfo& program, const Error& error);

 private:
  EndInfo end_info(ExitCode exit_code, const std::optional<std::string>& error) const;
  explicit MemcpyOutput(const RunConfig& config)
      : out_(TextFile::standard_output()), progress_(config.progress, config.program, "results") {}

  TextFile out_;
  LiveProgress progress_;
  SinkList files_;
  std::string run_id_;
  std::uint64_t failed_checks_ = 0;
};

}  // namespace linerate
