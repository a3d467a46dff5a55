// What the communicators of a job are made with: those of one tool, and of a suite's runs together.
#include "commands/perf_job.h"

#include "collectives/collective.h"
#include "unit/cli/command_line.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

int max_p2p_peers(const Invocation& call) {
  const Environment environment;
  const auto parsed = parse_run(call, environment);
  if (!parsed) throw std::invalid_argument(parsed.sentence());
  const CommandInput input{.call = call,
                           .environment = environment,
                           .interrupted = [] { return false; },
                           .answer_interrupts = [](bool) {}};
  return PerfJob(input, *parsed).config().gpu.max_p2p_peers;
}

int max_p2p_peers_of_tool(std::string_view name, Words words) {
  return max_p2p_peers(tool_call(*find_collective(name), std::move(words)));
}

int max_p2p_peers_of_suite(std::string collectives) {
  return max_p2p_peers({.command = Command::suite,
                        .program = "linerate",
                        .args = {},
                        .words = {"--nccl-tests-config", "--collectives", std::move(collectives)}});
}

TEST(PerfJob, HasTwoPeersForSendsToNeighboursAsNcclTests) {
  EXPECT_EQ(max_p2p_peers_of_tool("sendrecv", {"--nccl-tests-config"}), 2);
  EXPECT_EQ(max_p2p_peers_of_tool("sendrecv", {}), 0);
  EXPECT_EQ(max_p2p_peers_of_tool("all_to_all", {"--nccl-tests-config"}), 0);
}

TEST(PerfJob, OfASuiteHasThemWhereItSendsToNeighboursAlone) {
  EXPECT_EQ(max_p2p_peers_of_suite("sendrecv"), 2);
  EXPECT_EQ(max_p2p_peers_of_suite("sendrecv,all_to_all"), 0);
}

}  // namespace
}  // namespace linerate
