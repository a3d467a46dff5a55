// How far processes are that run one after the other: on stderr.
#pragma once

#include "output/progress.h"
#include "output/text_file.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace linerate {

// Runs of several sides. A terminal's line is cleared before anything else may print.
class TurnsProgress {
 public:
  // `program` begins each line; `to_do`: how often each side will run; `names` of the sides: where
  // there are none they are A, B, ….
  TurnsProgress(std::string program, const std::vector<std::size_t>& to_do, ProgressStyle style,
                std::vector<std::string> names = {});

  void begins(std::size_t side);
  void ended(std::size_t side, double seconds);
  void clear();

  // How long a run of `side` took on average; nothing before the first has ended.
  std::optional<double> mean_seconds(std::size_t side) const;
  // What the sides still take: each as long as its runs so far, or as the others' where it has
  // none. Nothing before the first has ended.
  std::optional<double> seconds_left() const;

 private:
  struct Runs {
    std::size_t to_do = 0, done = 0;
    double seconds = 0;
  };
  std::string line(std::size_t side) const;

  std::string program_;
  std::vector<Runs> sides_;
  std::vector<std::string> names_;
  ProgressStyle style_;
  TextFile out_;
  bool visible_ = false;
};

}  // namespace linerate
