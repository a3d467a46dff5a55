// What a replay found: by rows of calls, recorded times beside replayed ones, and what follows.
//
// The time of a collective or a message is that of the rank which came last: it alone waits for
// nobody. What the others took longer is waiting, which no fabric changes. So no common clock is
// needed. A rank whose time is not known may be the last: nor is the call's time known then.
// Batches, and send_recv, are each rank's own, waiting included.
#pragma once

#include "replay/plan.h"

#include <map>
#include <string>
#include <vector>

namespace linerate::replay {

// Of each rank, of each of its units, microseconds; NaN: nobody knows.
using UnitTimes = std::vector<std::vector<double>>;
UnitTimes recorded_times(const Plan& plan);

// Times of one replay, or of the job. NaN: nobody knows.
struct Times {
  std::vector<double> call_us{};  // mean of each row, of those that are known
  double waiting_us = 0;  // for ranks that came later: of all calls of a rank, mean over ranks
  std::size_t known = 0;  // calls of which all ranks have a time
};
Times times_of(const Plan& plan, const UnitTimes& times);

struct Outcome {
  std::string trace{}, origin{};  // the file, and who recorded it
  std::string backend{};          // of the replay
  bool keeps_gaps = true;
  double steps_us = 0;  // of a rank, mean over ranks; 0: the trace has none
  Times recorded{};
  std::vector<Times> replays{};    // none: a dry run
  std::vector<double> whole_us{};  // of each, from its beginning to the end of the last rank
  std::map<std::string, std::size_t> left_out{}, assumed{};  // of the trace
};

// The table with its footer.
std::string text_of(const Plan& plan, const Outcome& outcome);
// A line `run`, one `calls` for each row, and `end`.
std::string json_lines_of(const Plan& plan, const Outcome& outcome);

}  // namespace linerate::replay
