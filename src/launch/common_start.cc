// The message with the moment follows the barrier's release over the same sockets.
#include "launch/common_start.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <limits>

namespace linerate {
namespace {

constexpr int kLeadRounds = 32;
constexpr int kLateRounds = 3;            // rounds that may be later than the lead
constexpr std::int64_t kSpinNs = 20'000;  // a sched_yield() may last longer than it should

// Until `moment_ns`, at most `longest_ns`.
void wait_for(std::int64_t moment_ns, std::int64_t longest_ns, const Clock& clock) {
  auto now_ns = clock.now_ns();
  const auto end_ns = std::min(moment_ns, now_ns + longest_ns);
  for (; now_ns < end_ns; now_ns = clock.now_ns())
    if (end_ns - now_ns > kSpinNs) sched_yield();
}

// When this member hears what rank 0 says, in all rounds but kLateRounds. Each ends in a wait for a
// common moment, because it takes longer from there than from where a barrier leaves the members.
std::int64_t heard_after_ns(Bootstrap& members, const Clock& clock, const Deadline& deadline) {
  std::array<std::int64_t, kLeadRounds> heard{};
  for (auto& after_ns : heard) {
    members.barrier(deadline);
    const auto said_ns = value_of_rank_0(members, clock.now_ns(), deadline);
    after_ns = clock.now_ns() - said_ns;
    wait_for(said_ns + kMaxLeadNs, kMaxLeadNs, clock);
  }
  std::ranges::sort(heard);
  const bool before_it_was_said = heard.front() < 0;
  return before_it_was_said ? std::numeric_limits<std::int64_t>::max()
                            : heard[kLeadRounds - 1 - kLateRounds];
}

}  // namespace

std::int64_t measure_lead_ns(Bootstrap& members, const Clock& clock, const Deadline& deadline) {
  if (members.nranks() == 1) return 0;
  const auto mine_ns = heard_after_ns(members, clock, deadline);
  const auto lead_ns = std::ranges::max(all_values(members, mine_ns, deadline));
  return lead_ns > kMaxLeadNs ? 0 : lead_ns;
}

void start_together(Bootstrap& members, const Clock& clock, std::int64_t lead_ns) {
  if (lead_ns == 0) return;
  const auto moment_ns = value_of_rank_0(members, clock.now_ns() + lead_ns, Deadline::never());
  wait_for(moment_ns, lead_ns, clock);
}

}  // namespace linerate
