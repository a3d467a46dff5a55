// Causes with a rule of their own, in logs whose first line another rule would have taken.
#include "diagnose/log/report.h"
#include "unit/diagnose/log/log_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::logs {
namespace {

using ::testing::HasSubstr;

Finding cause_in(const std::string& log) { return read_log(log).findings.at(0); }

const std::string kMixer = "[n4:31] mixer.c:88  Error: Failed to start the mixer\n";

// A line that the row's first alternative matches, at a level that it takes.
std::string line_that_meets(const Signature& row) {
  const auto all = replaced(std::string(row.pattern), "*", " x ");
  const auto text = "a " + all.substr(0, all.find('|')) + " b";
  if (row.lines == Lines::warnings) return warn(0, "a.cc:1", text);
  if (row.lines == Lines::nccl) return info(0, text);
  return (row.lines == Lines::exceptions ? "AnError: " : "ERROR CUDA error: ") + text + "\n";
}

TEST(LogCalls, ComeAfterEveryCauseThatHasAName) {
  int seen = 0;
  for (const auto table : signature_tables())
    for (const auto& row : table) {
      const auto line = line_that_meets(row);
      const bool names = row.role <= Role::fault || row.role == Role::vague;
      const auto alone = read_log(line).findings;
      if (!names || is_quoted(row) || alone.empty() || alone[0].rule != row.name) continue;
      EXPECT_EQ(cause_in(kMixer + line).rule, row.name) << line;
      ++seen;
    }
  EXPECT_GT(seen, 150);
}

TEST(LogCalls, ComeAfterASuspicionAndBeforeALaunchersSummary) {
  const std::string suspicion = "pan.sh: line 9: whisk: command not found\n";
  const std::string ended = "[mpiexec@n1] wait_for (a.c:9): strange end\n";

  EXPECT_EQ(cause_in(kMixer + suspicion).rule, "not-found-by-shell");
  EXPECT_EQ(cause_in(ended + kMixer).rule, "call-failed");
}

TEST(LogUcx, NamesTheSettingForTheRightDevice) {
  const auto finding = cause_in(
      kMixer + "[17.9] [n4:31:0]  dev.c:7   UCX  ERROR ibv_query_x(dev=nic7 port=1) failed: y\n");

  EXPECT_EQ(finding.rule, "ib-call-failed");
  EXPECT_THAT(finding.evidence, HasSubstr("dev=nic7"));
  EXPECT_THAT(finding.advice, HasSubstr("UCX_NET_DEVICES"));
}

TEST(LogSharedMemory, ThatMayNotBeOpenedIsNotTooSmall) {
  for (const std::string_view line :
       {"MPIU_SHMW_Seg_make(7): open failed - Permission denied",
        "MPIDU_Init_shm_make(9): unable to open it: Permission denied",
        "[n4:31] shmem: shm_open(/x) failed: Permission denied (errno 13)",
        "mm_posix.c:9  UCX  ERROR open(file_name=/proc/7/fd/9) failed: Permission denied"}) {
    const auto finding = cause_in("error stack:\n" + std::string(line) + "\n");
    EXPECT_EQ(finding.rule, "shared-memory-permission") << line;
    EXPECT_THAT(finding.advice, HasSubstr("chmod 1777")) << line;
  }
  EXPECT_EQ(cause_in("MPIU_SHMW_Seg_make(7): open failed - No memory\n").rule,
            "shared-memory-failed");
  EXPECT_EQ(cause_in("OSError: /data/x: Permission denied\n").rule, "permission-denied");
}

TEST(LogSharedMemory, OfOpenMpiHasItsErrorSomeLinesBelow) {
  const std::string told = "A system call failed during shared memory initialization that should\n";
  const std::string call = "not have.\n\n  Local host:  n4\n  System call: open(2) \n";
  const std::string error = "  Error:       Permission denied (errno 13)\n";

  EXPECT_EQ(cause_in(told + call + error).rule, "shared-memory-permission");
  EXPECT_EQ(cause_in(call + error).rule, "permission-denied");
  EXPECT_EQ(cause_in(told + std::string(9, '\n') + error).rule, "permission-denied");
}

const std::string kAssertion =
    "/x/Pick.cu:7: pick: block: [3,0,0], thread: [9,0,0] Assertion `{}` failed.\n";

TEST(LogAssertion, OfAKernelTellsThatAnIndexIsOutOfRange) {
  for (const std::string_view condition :
       {"c >= 0 && c < n_classes", "srcIndex < srcDimSize", "-size[i] <= index"}) {
    const auto finding = cause_in(replaced(kAssertion, "{}", condition));
    EXPECT_EQ(finding.rule, "device-assertion") << condition;
    EXPECT_THAT(finding.evidence, HasSubstr("a token id or a position is out of range"));
    EXPECT_THAT(finding.evidence, HasSubstr(condition)) << condition;
    EXPECT_THAT(finding.advice, HasSubstr("CUDA_LAUNCH_BLOCKING=1"));
  }
}

TEST(LogAssertion, OfAKernelIsNoBadAddress) {
  EXPECT_EQ(cause_in("RuntimeError: CUDA error: device-side assert triggered\n").rule,
            "device-assertion");
  EXPECT_EQ(cause_in("RuntimeError: CUDA error: an illegal memory access was met\n").rule,
            "illegal-access");
  EXPECT_EQ(cause_in("mix.c:7: stir: Assertion `c < n_classes' failed.\n").rule,
            "uncaught-exception");
}

}  // namespace
}  // namespace linerate::logs
