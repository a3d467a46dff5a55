// A machine on paper: how long each setting takes, with noise, outliers and drift.
#pragma once

#include "base/splitmix.h"
#include "tune/rules.h"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace linerate::tuning {

inline const Collective& all_reduce() { return *find_collective("all_reduce"); }
inline const Collective& all_gather() { return *find_collective("all_gather"); }

inline Arm call_arm(std::string words, const Collective& collective = all_reduce()) {
  return {.words = words, .variables = {{"SETTING", words}}, .collective = &collective};
}
inline Arm process_arm(std::string words) {
  return {.words = words, .variables = {{"SETTING", words}}};
}

// How long the setting takes, as a share of the default's time.
using Share = std::function<double(const std::string& setting, const Cell& cell)>;

class MadeUp {
 public:
  explicit MadeUp(Share share, std::uint64_t seed = 1) : share_(std::move(share)), seed_(seed) {}

  std::vector<std::size_t> sizes{1024, 65536, 1048576};
  double noise = 0.02;     // standard deviation of a launch, as a share
  double outliers = 0.03;  // share of times that are a third longer
  double drift = 0;        // by how much each launch is slower than the one before
  int launches = 0;
  std::function<std::string(const std::string& setting)> failure{};

  Launch launch() {
    return [this](const Collective& collective, const Variables& variables) {
      const auto found = variables.find("SETTING");
      const auto setting = found == variables.end() ? std::string() : found->second;
      if (failure)
        if (auto why = failure(setting); !why.empty()) return Run{.us = {}, .failure = why};
      ++launches;
      const double common = normal() * noise;  // of a launch, at all sizes
      Run run;
      for (const auto bytes : sizes) {
        const double usual = 5 + static_cast<double>(bytes) / 1000;
        const double share = setting.empty() ? 1 : share_(setting, {&collective, bytes});
        const double odd = uniform() < outliers ? 0.3 : 0;
        run.us[bytes] =
            usual * share * (1 + drift * launches) * std::exp(common + normal() * noise + odd);
      }
      return run;
    };
  }

 private:
  double uniform() {
    seed_ += kSplitMixStep;
    return static_cast<double>(splitmix64(seed_) >> 11) * 0x1p-53;
  }
  double normal() {
    return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(2 * 3.14159265358979 * uniform());
  }

  Share share_;
  std::uint64_t seed_;
};

}  // namespace linerate::tuning
