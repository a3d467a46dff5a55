// What a host says of itself, read from a tree as its own.
#include "commands/describe.h"
#include "support/folder.h"

#include <gtest/gtest.h>

#include <string>

namespace linerate {
namespace {

class HostFactsTest : public ::testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) { folder_.write(path, text); }
  HostFacts facts() const { return host_facts(folder_.root()); }

  TemporaryFolder folder_;
};

TEST_F(HostFactsTest, AreWhatTheTreeShows) {
  write("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
  write("etc/os-release", "ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
  write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  write("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
  write("sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "performance\n");
  write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  write("proc/loadavg", "0.75 1.15 0.97 2/123 4567\n");

  EXPECT_EQ(facts(), (HostFacts{.kernel = "6.1.0-18-amd64",
                                .system = "Debian GNU/Linux 12 (bookworm)",
                                .governor = "performance,powersave",
                                .huge_pages = "madvise",
                                .load = 0.75}));
}

TEST_F(HostFactsTest, AreEmptyWhereNobodyTells) { EXPECT_EQ(facts(), HostFacts()); }

TEST_F(HostFactsTest, DoNotRestOnTextsOfAnotherForm) {
  write("sys/kernel/mm/transparent_hugepage/enabled", "] always [");
  write("proc/loadavg", "busy");
  write("etc/os-release", "ID=debian");

  EXPECT_EQ(facts(), HostFacts());
}

}  // namespace
}  // namespace linerate
