// How fast the processors run that have something to do: an idle one is slow by intention.
#pragma once

#include "diagnose/health/gauge.h"

#include <filesystem>
#include <string>
#include <vector>

namespace linerate::health {

class Processors {
 public:
  // What is missing goes to `unread`.
  Processors(const std::filesystem::path& sysfs, const std::filesystem::path& proc,
             std::vector<std::string>& unread);

  // Of those that worked since the last sample.
  void sample();
  void finish(NodeHealth& health) const;

 private:
  struct Processor {
    std::string frequency_file{};     // empty: not told
    std::uint64_t work = 0, all = 0;  // ticks when it was looked at; 0: never
  };
  void look(std::size_t number, std::uint64_t work, std::uint64_t all);

  std::vector<Processor> processors_;  // by number
  std::string stat_file_;
  std::vector<char> text_;
  Gauge frequency_{"busy processors", "frequency_mhz"};
  double mhz_ = 0;  // in this sample, of so many
  int busy_ = 0;
  bool told_ = false;
};

}  // namespace linerate::health
