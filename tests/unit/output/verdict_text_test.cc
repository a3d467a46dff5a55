// What the lines below the table say where the machine changed during the run.
#include "output/verdict_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::vector<MemoryPoint> kMemory{
    {.bytes = 1024, .read_gbps = 10, .write_gbps = 10, .copy_gbps = 10, .update_gbps = 10}};
const std::vector<NetworkPoint> kNetwork{
    {.node = 0, .send_gbps = 4, .receive_gbps = 4, .round_trip_us = 20},
    {.node = 1, .send_gbps = 4, .receive_gbps = 4, .round_trip_us = 20}};

std::string lines(const ProbedBefore& before, const EndInfo& end,
                  std::string_view bound_by = "network") {
  VerdictText text;
  Record record{.busbw_gbps = 3};
  record.expected = {.busbw_gbps = 4, .bound_by = std::string(bound_by)};
  text.add(record);
  return text.lines(false, before, end);
}

TEST(UnstableMachines, AreThoseWhoseNetworkChanges) {
  EndInfo end{.network = kNetwork};
  for (auto& point : end.network) point.send_gbps = 3;

  EXPECT_THAT(lines({.network = kNetwork}, end),
              HasSubstr("unstable machine: the network changed by a factor of 1.3"));
  EXPECT_THAT(lines({.network = kNetwork}, {.network = kNetwork}), HasSubstr(": ok at 1 of 1"));
}

TEST(UnstableMachines, AreThoseWhoseMemoryChangesWhereThatCounts) {
  EndInfo end{.memory = kMemory};
  end.memory[0].copy_gbps = 20;
  const auto* changed = "unstable machine: memory changed by a factor of 2.0";

  EXPECT_THAT(lines({.memory = kMemory}, end, "latency"), HasSubstr(changed));
  end.network = kNetwork;
  EXPECT_THAT(lines({kMemory, kNetwork}, end, "memory"), HasSubstr(changed));
  EXPECT_THAT(lines({kMemory, kNetwork}, end), Not(HasSubstr(changed)));
}

}  // namespace
}  // namespace linerate
