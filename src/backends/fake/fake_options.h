// What the fake backend pretends: its speed, its noise, and the faults it injects.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

// Ranks are those of the communicator that connect() made; calls are counted from 1 on each rank,
// over all its communicators; barriers do not count.
struct FakeOptions {
  struct SlowRank {
    int rank = 0;
    double extra_us = 0;  // it comes late out of every call and barrier, so late into the next
  };
  struct SlowLink {
    int a = 0, b = 0;   // both directions
    double factor = 1;  // of the bandwidth
  };
  struct Flip {
    int rank = 0;
    std::uint64_t call = 0;  // 0: every call
  };
  struct Bimodal {
    double fraction = 0;  // of the calls
    double factor = 1;    // that take so much longer
  };
  struct Stop {
    int rank = 0;
    std::uint64_t call = 1;
  };

  double alpha_us = 5;    // one message
  double link_gbps = 10;  // each direction of each link
  double noise = 0;       // standard deviation of a call's time over that time
  std::uint64_t seed = 1;
  std::vector<SlowRank> slow_ranks{};
  std::vector<SlowLink> slow_links{};
  std::vector<Flip> flips{};
  std::optional<Bimodal> bimodal{};
  std::vector<Stop> hangs{};   // the rank never enters this call
  std::vector<Stop> deaths{};  // the rank throws instead of making this call

  // The same network with nothing wrong: its latency and its bandwidth.
  FakeOptions healthy() const { return {.alpha_us = alpha_us, .link_gbps = link_gbps}; }
};

// "alpha=5us,bw=10,noise=2%,seed=7,slow_rank=3:38us,slow_link=0-1:0.5,flip=2:5,bimodal=20%:3,
// hang=1:40,die=2:10"; flip=2 flips in every call. An empty text yields the defaults. bw is in
// GB/s. slow_rank, slow_link, flip, hang and die may be given several times, the others once.
Result<FakeOptions> parse_fake_options(std::string_view text);

// A sentence about a fault of a rank that `nranks` ranks do not have: it could have no effect.
std::optional<std::string> refusal_for_ranks(const FakeOptions& options, std::int64_t nranks);

}  // namespace linerate
