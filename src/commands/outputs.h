// All sinks of a run as one: the table, JSON Lines, CSV, nccl-tests JSON, and progress.
#pragma once

#include "base/error.h"
#include "base/result.h"
#include "bench/run.h"
#include "cli/run_config.h"
#include "commands/command.h"
#include "diagnose/judge.h"
#include "output/nccl_tests_json.h"
#include "output/progress.h"
#include "output/sink.h"
#include "output/suite_table.h"
#include "output/table_text.h"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace linerate {

// What the table shows of the options, before anything is connected.
TableOptions table_options(const RunConfig& config);

// Opens the files of --jsonl and --csv, and adds them to `sinks`; what is wrong with one otherwise.
std::optional<Failure> add_record_files(const RunConfig& config,
                                        const std::function<bool()>& interrupted, SinkList& sinks);

// What the runs of a job have in common; outlives them.
struct SharedOutputs {
  Progress& progress;
  SuiteTable* table = nullptr;  // of a suite
};

// Lives on rank 0; used from rank 0's thread, then from the process' main thread after it has
// ended; end_hung() from any.
class Outputs {
 public:
  // Opens the files that `config` names, before anything runs; a path that cannot be written is the
  // user's mistake. `config` and `input` outlive the outputs.
  static Result<std::unique_ptr<Outputs>> open(const RunConfig& config, const CommandInput& input,
                                               const SharedOutputs& shared);

  // What the run tells, in this order: see RunEvents.
  void begin(const RunStart& start);
  void results(std::span<const Record> groups, const RunTotals& so_far);
  void row(std::span<const Record> table);

  // How a run ended; `error` is the sentence of one that could not go on.
  struct Ending {
    ExitCode exit_code = ExitCode::ok;
    std::optional<std::string> error{};
    Judgement judgement{};
    std::vector<NodeHealth> health{};
  };
  // Ends every sink, once. Of a run that never began the files get what its command line tells.
  void end(const RunTotals& totals, const Ending& ending);
  // The same for a process that is about to be ended because rank 0's thread hangs: with what it
  // has so far. Gives up after a second where a thread hangs in the files.
  void end_hung(ExitCode exit_code, const std::string& error) noexcept;
  // Of a run that never begins, where that is not its own failure: -J says why, and what keeps runs
  // gets none.
  void end_unbegun(const std::string& why) noexcept;

  // Totals so far, also of a run that failed.
  const RunTotals& so_far() const { return so_far_; }

 private:
  Outputs(const RunConfig& config, const CommandInput& input, const SharedOutputs& shared);
  std::optional<Failure> open_files();
  void write_end(const RunTotals& totals, const Ending& ending);
  void write_unbegun(const std::string& why);
  // Runs `write` alone, unless a thread hangs in the files.
  void write_hung(const std::function<void()>& write) noexcept;

  const RunConfig& config_;
  const CommandInput& input_;
  SharedOutputs shared_;
  TableOptions options_;
  SinkList sinks_;
  NcclTestsJson* report_ = nullptr;  // one of the sinks, with -J
  UnderProgress all_;                // the sinks, with the progress line kept out of their way
  std::string run_id_;
  RunTotals so_far_;
  std::timed_mutex writing_;
  bool ended_ = false;
};

// Where wrong data was found, for stderr: rank, index, expected, got, count of each rank.
std::string wrong_sentence(const Record& record);

}  // namespace linerate
