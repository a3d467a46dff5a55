// Progress on stderr that stays fresh however long a piece of work takes.
#pragma once

#include "base/clock.h"
#include "output/progress.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace linerate {

// A Progress, and a thread that draws it anew more than once a second. The thread does nothing
// else, sleeps in between, and is there only where something is shown. It runs wherever the thread
// that made this may run, also where the one that starts it is bound to a core.
class LiveProgress {
 public:
  // `forced`: --progress. `counted`: what the line counts: "results".
  LiveProgress(std::optional<bool> forced, std::string name, std::string counted);
  ~LiveProgress() { end(); }
  LiveProgress(const LiveProgress&) = delete;
  LiveProgress& operator=(const LiveProgress&) = delete;

  bool shows() const { return style_ != ProgressStyle::off; }
  // Tells what is done.
  Progress& line() { return line_; }

  // Starts the thread, the first time; has the line drawn at once, each time. Where the system
  // grants no thread, the line is drawn with the results only.
  void start();
  // The thread is gone, and so is the line.
  void end();

  // Prints with the line out of the way.
  template <typename Print>
  void aside(const Print& print) {
    line_.hide();
    print();
    line_.show();
  }

 private:
  void draw_until_end();

  const ProgressStyle style_;
  const std::vector<int> cores_;
  SteadyClock clock_;
  Progress line_;
  std::mutex mutex_;
  std::condition_variable wakes_;
  bool ends_ = false, wanted_ = false;
  std::thread thread_;
};

}  // namespace linerate
