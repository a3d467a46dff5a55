// One run of a trainer within a study.
#pragma once

#include "base/result.h"
#include "record/json_io.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::scale {

// How a run ended. Refused: the trainer cannot run this layout on so many ranks (exit code 2).
enum class Outcome : std::uint8_t { ok, refused, failed, hung };
std::string_view name_of(Outcome outcome);

// A typical step of rank 0. The parts add up to step_us.
struct StepTimes {
  double step_us = 0;
  double compute_us = 0;
  double wait_us = 0;      // compute waited for a call that not all ranks had begun
  double transfer_us = 0;  // compute waited for a call that all had begun
  double idle_us = 0;
  std::map<std::string, double> exposed_us{};  // waits and transfers, by axis
  double tokens = 0;                           // of the global batch
};

// All parts times `factor`.
StepTimes scaled(StepTimes times, double factor);

// What a trainer's JSON Lines say: the median step, cut as all steps together are. The first two
// are left out where there are more than four. Nothing where the run did not end well, or has steps
// without time or tokens.
std::optional<StepTimes> step_times_of(std::string_view jsonl);
// And of a pipeline's last step, as trainers write it; null: none ran, or what is said of it makes
// no sense.
json::Json pipeline_step_of(std::string_view jsonl);

struct RunResult {
  std::string layout{};
  int nranks = 1;
  std::uint64_t batch = 0;
  bool control = false;
  int repeat = 1;
  std::string command{};
  Outcome outcome = Outcome::ok;
  int exit_code = 0;
  std::string reason{};  // never empty where it did not end well
  double elapsed_s = 0;
  std::string start_time{}, hostname{}, version{};  // of linerate, with its commit
  double load_1min = 0;
  StepTimes times{};
  json::Json pipeline_step{};  // null: none
};

// A line, with its end; and lines read again. A last line that is torn is left out; what else is no
// such line is a failure, which goes on behind the file's name.
std::string line_of(const RunResult& result);
Result<std::vector<RunResult>> read_results(std::string_view jsonl);

}  // namespace linerate::scale
