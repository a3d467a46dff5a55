// A CopyBench of made-up rates: its times are exact, and it writes down what it was asked.
#pragma once

#include "base/error.h"
#include "comm/copy_bench.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace linerate {

struct MadeUp {
  int gpus = 2;
  std::function<double(const CopyStream&)> gbps = [](const CopyStream&) { return 10.0; };
  std::vector<double> slower{1.0};  // factor of the interval, one measurement after the other
  std::size_t wrong_stream = 99;    // its comparison finds one wrong element
  std::pair<int, int> apart{-2, -2};
  std::size_t hangs_at = 99;  // the number of a measurement, from 0
  double prepare_us = 0;
  std::function<void(double us)> passes = [](double) {};  // told the time of all that is done
};

class MadeUpBench final : public CopyBench {
 public:
  explicit MadeUpBench(MadeUp made_up) : made_up_(std::move(made_up)) {}

  std::string version() const override { return "made up"; }
  int gpus() const override { return made_up_.gpus; }
  CopyGpu describe(int) override { return {"GPU", "0000:00:00"}; }
  std::size_t free_bytes(int) override { return std::size_t{1} << 30; }
  bool reach_each_other(int gpu, int peer) override {
    return std::minmax(gpu, peer) != std::minmax(made_up_.apart.first, made_up_.apart.second);
  }
  std::unique_ptr<CopyRun> prepare(const CopyJob& job) override {
    made_up_.passes(made_up_.prepare_us);
    return std::make_unique<Run>(*this, job);
  }

  std::vector<std::vector<std::uint64_t>> asked{};  // the copies of each measurement

 private:
  class Run final : public CopyRun {
   public:
    Run(MadeUpBench& bench, const CopyJob& job)
        : bench_(bench), streams_(job.streams.begin(), job.streams.end()), bytes_(job.bytes) {}

    CopyTiming measure(std::span<const std::uint64_t> copies) override {
      if (bench_.asked.size() == bench_.made_up_.hangs_at) throw TimeoutError("It hangs.");
      const auto& slower = bench_.made_up_.slower;
      const double factor = slower[bench_.asked.size() % slower.size()];
      bench_.asked.emplace_back(copies.begin(), copies.end());
      CopyTiming timing;
      for (std::size_t s = 0; s < streams_.size(); ++s)
        timing.stream_us.push_back(factor * static_cast<double>(copies[s] * bytes_) / 1e3 /
                                   bench_.made_up_.gbps(streams_[s]));
      timing.interval_us = std::ranges::max(timing.stream_us);
      bench_.made_up_.passes(timing.interval_us);
      return timing;
    }

    std::vector<Comparison> verify() override {
      std::vector<Comparison> compared(streams_.size());
      if (bench_.made_up_.wrong_stream < streams_.size())
        compared[bench_.made_up_.wrong_stream] = {
            .wrong = 1, .first = FirstWrong{.index = 7, .expected_bits = 5, .got_bits = 4}};
      return compared;
    }

   private:
    MadeUpBench& bench_;
    std::vector<CopyStream> streams_;
    std::size_t bytes_;
  };

  MadeUp made_up_;
};

}  // namespace linerate
