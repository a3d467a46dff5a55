// Each row of the tables is met by a line that no other row takes first.
#include "diagnose/log/signatures.h"

#include "base/text.h"
#include "unit/diagnose/log/log_text.h"
#include "unit/diagnose/log/signature_examples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace linerate::logs {
namespace {

// By all that a log goes through; empty: none.
std::string rule_of(const std::string& log) {
  const auto report = read_log(log);
  return report.findings.empty() ? "" : report.findings[0].rule;
}

TEST(Signatures, AreEachMetByALine) {
  std::set<std::string_view> met;
  for (const auto& [name, line] : kExamples) {
    const auto log = line.starts_with("W ")   ? warn(0, "a.cc:1", line.substr(2))
                     : line.starts_with("I ") ? info(0, line.substr(2))
                                              : std::string(line);
    EXPECT_EQ(rule_of(log), name) << line;
    met.insert(name);
  }
  for (const auto table : signature_tables())
    for (const auto& row : table)
      EXPECT_TRUE(met.contains(row.name) || row.role == Role::harmless) << row.name;
}

// A line that the alternative matches, as far from a warning as the row allows.
std::string line_of(const Signature& row, std::string_view alternative) {
  const std::string_view filling = row.name != kRanksAlone        ? " x "
                                   : alternative.starts_with('#') ? " 0 "
                                                                  : " 1 ";
  const auto text = "a " + replaced(std::string(alternative), "*", filling) + " b";
  switch (row.lines) {
    case Lines::warnings:
      return warn(0, "a.cc:1", text);
    case Lines::nccl:
      return info(0, text);
    case Lines::gpu:
      return "CUDA error: " + text;
    case Lines::errors:
    case Lines::reports:
      return "ERROR " + text;
    case Lines::exceptions:
      return "AnError: " + text;
    case Lines::others:
    case Lines::any:
      break;
  }
  return text;
}

// One in which the row speaks.
std::string log_of(const Signature& row, const std::string& line) {
  if (row.name == kRankTwice && row.role == Role::suspect)
    return replaced("a, a, ", "a, ", "GLOBAL_RANK: 0, MEMBER: 1/2\n");
  if (row.name == "loopback-interface")  // of two hosts
    return line + replaced(line, "node0", "node1") + "Test NCCL failure";
  if (row.role == Role::suspect) return line + "\nTest NCCL failure";
  if (row.name == kRanksAlone) return fmt::format("running on 1 total cores\n{0}\n{0}\n", line);
  return row.role == Role::waiting ? fmt::format("{0}\n{0}\n{0}\n", line) : line;
}

TEST(Signatures, AreMetByEachAlternativeOfTheirPatterns) {
  for (const auto table : signature_tables())
    for (const auto& row : table)
      for (const auto& alternative : split(row.pattern, '|'))
        EXPECT_EQ(rule_of(log_of(row, line_of(row, alternative))),
                  row.role == Role::harmless ? "" : row.name)
            << alternative;
}

TEST(Signatures, OfHarmlessLinesSaySo) {
  for (const std::string_view text :
       {"NET/IB : No device found.", "Failed to open libibverbs.so[.1]"}) {
    const auto* row = find_signature({.level = Level::info, .text = text, .whole = text});
    ASSERT_NE(row, nullptr) << text;
    EXPECT_EQ(row->role, Role::harmless);
  }
}

TEST(Signatures, DoNotTakeLinesOfHealthyJobs) {
  EXPECT_EQ(
      rule_of(warn(0, "x:7", "NET/OFI Attempt to call recv_close with outstanding requests!")), "");
  for (const std::string_view text :
       {"Call to connect returned Connection refused, retrying", "Using network Socket",
        "NET/Plugin : No plugin found (libnccl-net.so), using internal implementation",
        "NET/Socket : GPU Direct RDMA Disabled for HCA 0 'eth0'", "Connected all rings",
        "comm 0x1 rank 0 - Abort COMPLETE", "misc/socket.cc:47 -> 7",
        "Init timings - ncclCommInitRank: rank 0 nranks 8 total 12.00"})
    EXPECT_EQ(rule_of(info(0, text)), "") << text;
  for (const std::string_view line :
       {"INFO: NCCL collective timeout from the command line is 900 s",
        "step 12: CUDA out of memory, going on with a smaller batch",
        "installed a handler of SIGUSR1 and SIGTERM: Signal 15 writes a checkpoint",
        "[PG ID 0 Rank 3] Aborting NCCL communicator 0 after destroy_process_group",
        "E external/a.cc:4] Unable to register cuFFT factory",
        "[W socket.cpp:6] [c10d] The client socket cannot be initialized to connect to [::1]:29500",
        "libfabric:7:core:f():9<warn> fi_getinfo: provider psm returned -61",
        "INFO caught KeyError: 'x'; Connection refused, trying again",
        "Test error: 0.034",
        "metrics of NCCL sent; Broken pipe seen 0 times",
        "Detected 4 NICs",
        "Exited with code 0",
        "n:7:7 [0] NVSHMEM INFO [0] status 0 cudaErrorNoKernelImageForDevice 209",
        "[1.5] [n:7:0] x.c:9 UCX  DEBUG handler of CUDA_ERROR_NOT_PERMITTED",
        "NVSHMEM_ENABLE_ERROR_CHECKS false (type: bool, default: false)",
        "  raise RuntimeError(f\"NCCL error: {text}\")",
        "the daemon is Killed",
        "worker: Terminated",
        "query 7: Aborted",
        "Loaded 4 of 5 - Killed",
        "[W1 socket.cpp:7] [c10d] The client socket cannot be initialized to connect to [h]:1 "
        "(errno: "
        "97 - Address family not supported by protocol).",
        "[ERROR] rank=3 heartbeat timed out after 5.0 s (connection timed out); will retry",
        "[INFO] ValueError: bad sample, skipping",
        "DEBUG: FileNotFoundError: no cache",
        "WARNING retry 1: OSError: [Errno 5] Input/output error",
        "x.py:3: UserWarning: OSError: no cache, going on",
        "SIGSEGV would show a Segmentation violation",
        "[mpiexec@n1] Exit codes: [n1] 0,0",
        "[mpiexec@n1] Launch arguments: ssh n4 x --error-file y.log",
        "[mpiexec@n1] got PMI command: cmd=barrier_in",
        "/bin/sh: ip: command not found"})
    EXPECT_EQ(rule_of(std::string(line)), "") << line;
}

TEST(SignaturePattern, TakesPiecesInOrderOrAnAlternative) {
  EXPECT_TRUE(matches("a*c|x", "abc"));
  EXPECT_TRUE(matches("a*c|x", "x"));
  EXPECT_FALSE(matches("a*c", "ca"));
  EXPECT_FALSE(matches("a*a", "a"));
  EXPECT_TRUE(matches("failed*", "it failed"));
}

}  // namespace
}  // namespace linerate::logs
