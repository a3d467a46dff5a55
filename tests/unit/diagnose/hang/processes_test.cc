// What is read of a process below a folder that stands for /proc, and what is found of several.
#include "diagnose/hang/hang.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace linerate::hang {
namespace {

namespace fs = std::filesystem;
using std::string_literals::operator""s;
using testing::HasSubstr;

class Proc : public testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file, std::ios::binary) << text;
  }
  void thread(const std::string& folder, const std::string& name, char state) const {
    write(folder + "/stat",
          fmt::format("7 ({}) {} 1 7 7 0 -1 0 1 0 0 0 250 50 0 0 20", name, state));
  }
  void SetUp() override {
    fs::remove_all(root_);
    thread("7", "train (x) y", 'S');
    thread("7/task/9", "watchdog", 'S');
    thread("7/task/7", "train (x) y", 'S');
    write("7/task/7/schedstat", "1000 2500000000 3\n");
    write("7/task/7/wchan", "futex_wait_queue");
    write("7/task/9/wchan", "0");
    write("7/status", "Name:\ttrain\nTracerPid:\t33\n");
    write("7/environ", "RANK=3\0SECRET=abc\0WORLD_SIZE=8\0=\0"s);
    fs::create_directories(root_ / "7/fd");
    fs::create_symlink("socket:[4711]", root_ / "7/fd/5");
    write(
        "7/net/tcp",
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n"
        "   0: 0100007F:1F90 0200000A:0FA0 01 00000100:00000000 01:00000014 00000005  0 0 4711 1\n"
        "   1: 0100007F:1F90 0300000A:0FA0 01 00000000:00000000 00:00000000 00000000  0 0 4712 "
        "1\n");
  }

  fs::path root_ = fs::path(testing::TempDir()) / fmt::format("hang_proc_{}", getpid());
};

TEST_F(Proc, TellsThreadsOfTheKernel) {
  constexpr int kKernelThread = 0x00200000;  // PF_KTHREAD of linux/sched.h
  write("8/stat", fmt::format("8 (kswapd0) S 2 0 0 0 -1 {} 1 0 0 0 250 50 0 0 20", kKernelThread));

  EXPECT_TRUE(look_at(root_, 8)->of_kernel);
  EXPECT_FALSE(look_at(root_, 7)->of_kernel);
}

TEST_F(Proc, TellsThreadsVariablesAndConnections) {
  const auto seen = look_at(root_, 7);

  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(seen->title(), "rank 3 (pid 7, train (x) y)");
  EXPECT_EQ(seen->tracer, 33);
  EXPECT_EQ(seen->variables.size(), 2U);
  ASSERT_EQ(seen->threads.size(), 2U);
  EXPECT_EQ(seen->threads[0].tid, 7);
  EXPECT_EQ(seen->threads[0].waits_in, "futex_wait_queue");
  EXPECT_EQ(seen->threads[0].user_s, 250.0 / static_cast<double>(sysconf(_SC_CLK_TCK)));
  EXPECT_EQ(seen->threads[0].queued_s, 2.5);
  ASSERT_EQ(seen->connections.size(), 1U);
  EXPECT_EQ(seen->connections[0].peer, "10.0.0.2:4000");
  EXPECT_EQ(seen->connections[0].unsent_bytes, 256U);
  EXPECT_EQ(seen->connections[0].retransmits, 5U);
}

TEST_F(Proc, SaysWhatItCouldNotSee) {
  fs::remove(root_ / "7/environ");
  fs::remove_all(root_ / "7/fd");

  EXPECT_EQ(look_at(root_, 7)->unseen.size(), 2U);
  EXPECT_FALSE(look_at(root_, 8).has_value());
}

TEST_F(Proc, TakesBrokenFiles) {
  for (const auto* text : {"", "7 (", "7 )(", "7 (a) S 1", "7 (a)"}) {
    write("7/stat", text);
    EXPECT_FALSE(look_at(root_, 7).has_value()) << text;
  }
}

Observed process(int pid, double cpu_s, char state = 'S', const std::string& place = "futex_wait") {
  ProcessSeen seen{.pid = pid, .name = "train", .state = state};
  seen.threads = {{.tid = pid, .name = "train", .state = state, .waits_in = place}};
  Observed both{.before = seen, .after = seen};
  both.after.threads[0].user_s = cpu_s;
  return both;
}

Finding finding_of(const Observed& process) {
  auto findings = examine(std::vector{process});
  EXPECT_EQ(findings.size(), 1U);
  return findings.front();
}

TEST(Processes, AreStoppedEndedOrInTheKernel) {
  EXPECT_EQ(finding_of(process(1, 0, 'T')).rule, "stopped");
  EXPECT_EQ(finding_of(process(1, 0, 't')).rule, "stopped");
  EXPECT_EQ(finding_of(process(1, 0, 'Z')).rule, "ended");
  const auto in_kernel = finding_of(process(1, 0, 'D', "nfs_wait_bit_killable"));
  EXPECT_EQ(in_kernel.rule, "waits-in-kernel");
  EXPECT_THAT(in_kernel.evidence, HasSubstr("for a network file system"));
  for (const char state : {'T', 'Z', 'D'})
    EXPECT_EQ(finding_of(process(1, 0, state)).severity, Severity::problem);
}

TEST(Processes, SpinWaitOrWork) {
  EXPECT_EQ(finding_of(process(1, 1)).rule, "spins");
  EXPECT_EQ(finding_of(process(1, .5)).rule, "works");
  const auto waits = finding_of(process(1, 0));
  EXPECT_EQ(waits.rule, "waits");
  EXPECT_EQ(waits.severity, Severity::info);
  EXPECT_THAT(waits.evidence, HasSubstr("for a lock, or another thread of it (in futex_wait)"));
}

TEST(Processes, WaitForWhatTheFunctionIsAbout) {
  for (const auto& [place, what] :
       {std::pair("poll_schedule_timeout.constprop.0", "data or events"),
        std::pair("epoll_pwait", "data or events"), std::pair("ll_file_read", "Lustre"),
        std::pair("nvme_submit", "storage"), std::pair("_nv030321rm", "NVIDIA's driver"),
        std::pair("sk_wait_data", "of a connection"), std::pair("unheard_of", "in unheard_of")})
    EXPECT_THAT(finding_of(process(1, 0, 'S', place)).evidence, HasSubstr(what)) << place;
}

TEST(Processes, SpinAlsoWhereProcessorsAreScarce) {
  auto spins = process(1, .3);
  spins.after.threads[0].queued_s = .7;

  EXPECT_EQ(finding_of(spins).rule, "spins");
}

TEST(Processes, ThatDoOtherThanMostAreAWarning) {
  const auto findings = examine(std::vector{process(1, 1), process(2, 1), process(3, 0)});

  ASSERT_EQ(findings.size(), 2U);
  const auto& odd = findings[findings[0].rule == "waits" ? 0 : 1];
  EXPECT_EQ(odd.subject, "pid 3 (train)");
  EXPECT_EQ(odd.severity, Severity::warning);
}

TEST(Processes, OfOneJobAgreeAndHaveTheirOwnRank) {
  auto one = process(1, 0), other = process(2, 0);
  one.after.variables = {{"RANK", "0"}, {"WORLD_SIZE", "2"}};
  other.after.variables = {{"RANK", "0"}, {"WORLD_SIZE", "4"}};

  const auto findings = examine(std::vector{one, other});

  ASSERT_EQ(findings.size(), 3U);
  EXPECT_EQ(findings[1].rule, "settings-differ");
  EXPECT_EQ(findings[1].subject, "WORLD_SIZE");
  EXPECT_EQ(findings[2].rule, "same-rank");
  other.after.variables = {{"RANK", "1"}, {"WORLD_SIZE", "2"}};
  EXPECT_EQ(examine(std::vector{one, other}).size(), 1U);
}

TEST(Processes, NameTheHostThatDoesNotAnswer) {
  auto seen = process(1, 0);
  seen.after.connections = {{.peer = "10.0.0.2:4000", .unsent_bytes = 256, .retransmits = 5},
                            {.peer = "10.0.0.3:4000"}};

  const auto findings = examine(std::vector{seen});

  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[1].rule, "no-acknowledgement");
  EXPECT_THAT(findings[1].evidence, HasSubstr("256 bytes to 10.0.0.2:4000"));
}

}  // namespace
}  // namespace linerate::hang
