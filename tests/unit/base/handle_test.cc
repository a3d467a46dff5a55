// C handles are released once, by their last owner.
#include "base/handle.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace linerate {
namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

FileDescriptor open_null() { return FileDescriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

TEST(FileDescriptor, ClosesWithItsOwner) {
  int fd = -1;
  {
    const auto owner = open_null();
    fd = owner.get();
    EXPECT_TRUE(is_open(fd));
  }

  EXPECT_FALSE(is_open(fd));
}

TEST(FileDescriptor, MovesWithoutClosing) {
  auto first = open_null();
  const int fd = first.get();

  const FileDescriptor second = std::move(first);

  EXPECT_EQ(second.get(), fd);
  EXPECT_TRUE(is_open(fd));
}

TEST(FileDescriptor, ClosesWhatAnAssignmentReplaces) {
  auto first = open_null();
  auto second = open_null();
  const int replaced = first.get();
  const int kept = second.get();

  first = std::move(second);

  EXPECT_FALSE(is_open(replaced));
  EXPECT_EQ(first.get(), kept);
}

TEST(FileDescriptor, GivesUpOwnershipOnRelease) {
  auto owner = open_null();

  const int fd = owner.release();

  EXPECT_FALSE(owner);
  EXPECT_TRUE(is_open(fd));
  ::close(fd);
}

TEST(FileDescriptor, IsNoneByDefault) {
  FileDescriptor none;
  none.close();

  EXPECT_FALSE(none);
  EXPECT_EQ(none.get(), -1);
}

int count_release(int* releases) { return ++*releases; }

TEST(Handle, CallsItsFunctionOnce) {
  int releases = 0;
  {
    Handle<int, count_release> first(&releases);
    const auto second = std::move(first);
  }

  EXPECT_EQ(releases, 1);
}

}  // namespace
}  // namespace linerate
