// Files of a saved tree are foreign: whatever stands there, reading ends and invents nothing.
#include "topo/detect/tree_file.h"

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

}  // namespace
}  // namespace linerate::topo
