// Files of a saved tree are foreign: reading ends and invents nothing. Spellings of Linux and NCCL.
#include "topo/detect/sysfs.h"

#include "support/topo/sysfs_tree.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <string>

namespace linerate::topo {
namespace {

TEST(TreeFile, EndsAtTheZerosThatTarFillsUpWith) {
  const SysfsTree tree;
  tree.write("vendor", std::string("0x15b3\n") + std::string(4089, '\0'));

  EXPECT_EQ(text_in(tree.root() / "vendor"), "0x15b3");
  EXPECT_EQ(number_in(tree.root() / "vendor"), 0x15b3);
}

TEST(TreeFile, HasNoNumberWhereThereIsNone) {
  const SysfsTree tree;
  tree.write("width", "sixteen\n");
  tree.write("empty", "");

  EXPECT_FALSE(number_in(tree.root() / "width"));
  EXPECT_FALSE(number_in(tree.root() / "empty"));
  EXPECT_FALSE(number_in(tree.root() / "absent"));
}

TEST(TreeFile, IsReadUpToALimit) {
  const SysfsTree tree;
  tree.write("long", std::string(1 << 20, 'x'));

  EXPECT_EQ(text_in(tree.root() / "long").size(), 64U * 1024);
}

TEST(TreeFile, OfAPipeIsEmptyAtOnce) {
  const SysfsTree tree;
  tree.write("beside", "");
  ASSERT_EQ(mkfifo((tree.root() / "pipe").c_str(), 0600), 0);

  EXPECT_EQ(text_in(tree.root() / "pipe"), "");
}

TEST(TreeFile, LinksThatLeaveTheTreeLeadNowhere) {
  const SysfsTree tree;
  tree.link("inside", "sys/devices/pci0000:00");
  std::filesystem::create_symlink("/proc", tree.root() / "outside");

  EXPECT_EQ(real_path(tree.root(), tree.root() / "inside").filename(), "pci0000:00");
  EXPECT_EQ(real_path(tree.root(), tree.root() / "outside"), "");
  EXPECT_EQ(real_path(tree.root(), tree.root() / "absent"), "");
}

TEST(TreeFile, NamesAreSorted) {
  const SysfsTree tree;
  tree.write("b/1", "");
  tree.write("a/1", "");

  EXPECT_EQ(names_in(tree.root()), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(names_in(tree.root() / "absent").empty());
}

TEST(SysfsText, NameTheHighestThreadsFirst) {
  const auto threads = threads_in_mask("f,00000000,00000003\n");

  EXPECT_EQ(threads, (ThreadSet{0, 1, 64, 65, 66, 67}));
  EXPECT_EQ(mask_text(threads), "0000000f,00000000,00000003");
}

TEST(SysfsText, OfNoThreadAreEmpty) {
  EXPECT_EQ(mask_text({}), "");
  EXPECT_EQ(mask_text(threads_in_mask("00000000,00000000")), "");
}

TEST(SysfsText, ThatAreNoneYieldNoThreads) {
  for (const auto* text : {"", "xyz", "1,,1", "100000000", "-1"})
    EXPECT_TRUE(threads_in_mask(text).empty()) << text;
}

TEST(SysfsText, ListsNameRanges) {
  EXPECT_EQ(threads_in_list("0-2,8\n"), (ThreadSet{0, 1, 2, 8}));
  EXPECT_TRUE(threads_in_list("0-99999999").empty());
  EXPECT_TRUE(threads_in_list("a-b").empty());
}

// 0xaf is what NCCL's dumps of EPYC 7003 machines say, 0x6 what those of Xeons do.
TEST(SysfsText, FamilyIsAddedUpAsNcclDoes) {
  EXPECT_EQ(nccl_family(6), 6);
  EXPECT_EQ(nccl_family(25), 175);
  EXPECT_EQ(nccl_family(23), 143);
}

TEST(SysfsText, OfX86ComeFromItsFirstProcessor) {
  const auto cpu = cpu_of_cpuinfo(
      "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\n"
      "model name\t: AMD EPYC 7763 64-Core Processor\n\nprocessor\t: 1\nmodel\t\t: 9\n");

  EXPECT_EQ(cpu.arch, CpuArch::x86_64);
  EXPECT_EQ(cpu.vendor, "AuthenticAMD");
  EXPECT_EQ(cpu.family, 175);
  EXPECT_EQ(cpu.model, 1);
  EXPECT_EQ(cpu.name, "AMD EPYC 7763 64-Core Processor");
}

TEST(SysfsText, KeepTheBlanksOfAVendorsName) {
  EXPECT_EQ(cpu_of_cpuinfo("vendor_id\t:   Shanghai  \ncpu family\t: 7\n").vendor, "  Shanghai  ");
}

TEST(SysfsText, OfOtherProcessorsTellTheArchitecture) {
  EXPECT_EQ(cpu_of_cpuinfo("processor\t: 0\nCPU implementer\t: 0x41\n").arch, CpuArch::arm64);
  EXPECT_EQ(cpu_of_cpuinfo("processor\t: 0\ncpu\t\t: POWER9, altivec supported\n").arch,
            CpuArch::ppc64);
  EXPECT_EQ(cpu_of_cpuinfo("").arch, CpuArch::unknown);
}

}  // namespace
}  // namespace linerate::topo
