// Files are read up to a limit, and written whole or not at all.
#include "base/file.h"

#include "base/error.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace linerate {
namespace {

TEST(RegularFile, IsReadWhole) {
  const auto path = std::filesystem::path(testing::TempDir()) / "regular_file_test.txt";
  std::ofstream(path) << "a\nb";

  EXPECT_EQ(*read_regular_file(path.string(), 3), "a\nb");
  EXPECT_NE(read_regular_file(path.string(), 2).sentence().find("at most 2 B are read"),
            std::string::npos);
  std::filesystem::remove(path);
}

TEST(RegularFile, IsNoDirectoryAndNoDevice) {
  EXPECT_EQ(read_regular_file("/", 9).sentence(), "it is a directory, not a file.");
  EXPECT_EQ(read_regular_file("/dev/zero", 9).sentence(), "it is a pipe or device, not a file.");
  EXPECT_EQ(read_regular_file("/no/such", 9).sentence(), "No such file or directory.");
}

// What the other end of a pipe wrote and closed.
std::string pipe_with(const std::string& text, int& end) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  EXPECT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  ::close(ends[1]);
  end = ends[0];
  return fmt::format("/dev/fd/{}", end);
}

TEST(FileOrPipe, IsReadToItsEnd) {
  int end = -1;
  const auto path = pipe_with("a\nb", end);

  EXPECT_FALSE(read_regular_file(path, 9));
  EXPECT_EQ(*read_file_or_pipe(path, 3), "a\nb");
  ::close(end);
}

TEST(FileOrPipe, HasItsLimit) {
  int end = -1;
  const auto path = pipe_with("a\nbc", end);

  EXPECT_NE(read_file_or_pipe(path, 3).sentence().find("at most 3 B are read"), std::string::npos);
  ::close(end);
}

TEST(FileOrPipe, IsNoDeviceAndNoDirectory) {
  EXPECT_EQ(read_file_or_pipe("/", 9).sentence(), "it is a directory, not a file.");
  EXPECT_EQ(read_file_or_pipe("/dev/zero", 9).sentence(), "it is a pipe or device, not a file.");
}

TEST(RegularFile, ThatTheSystemCannotReadIsRefusedInASentence) {
  // The address 0 of no process is mapped.
  EXPECT_EQ(read_regular_file("/proc/self/mem", 9).sentence(),
            "it cannot be read: Input/output error.");
}

TEST(RegularFile, HasItsLimitAlsoWhereTheSystemTellsNoSize) {
  const auto known = read_regular_file("/proc/self/status", std::size_t{1} << 20);

  ASSERT_TRUE(known) << known.sentence();
  EXPECT_NE(known->find("VmSize"), std::string::npos);
  EXPECT_NE(read_regular_file("/proc/self/status", 9).sentence().find("at most 9 B are read"),
            std::string::npos);
}

class WholeFile : public testing::Test {
 protected:
  WholeFile()
      : folder_(std::filesystem::path(testing::TempDir()) /
                fmt::format("whole_file_test.{}", getpid())) {
    std::filesystem::remove_all(folder_);
  }
  ~WholeFile() override { std::filesystem::remove_all(folder_); }

  static std::string text_in(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::filesystem::path folder_;
};

TEST_F(WholeFile, MakesItsFolderAndReplacesWhatWasThere) {
  const auto path = folder_ / "a" / "file";

  EXPECT_FALSE(write_whole_file(path, "old and long"));
  EXPECT_FALSE(write_whole_file(path, "new"));

  EXPECT_EQ(text_in(path), "new");
  const auto entries = std::filesystem::directory_iterator(path.parent_path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST_F(WholeFile, SaysWhyItCannotBeWrittenAndLeavesNothing) {
  std::filesystem::create_directories(folder_ / "file" / "taken");

  EXPECT_EQ(write_whole_file(folder_ / "file", "text"), "Is a directory");
  EXPECT_EQ(write_whole_file("/proc/no/such/folder", "text"), "No such file or directory");
  EXPECT_EQ(write_whole_file(folder_ / "file" / "..", "text"), "Is a directory");
  EXPECT_EQ(write_whole_file("", "text"), "No such file or directory");

  const auto entries = std::filesystem::directory_iterator(folder_);
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST_F(WholeFile, KeepsWhatWasThereWhereTheTextFindsNoRoom) {
  const auto path = folder_ / "file";
  EXPECT_FALSE(write_whole_file(path, "old"));
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{.rlim_cur = 1024, .rlim_max = old.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);

  const auto failed = write_whole_file(path, std::string(4096, 'x'));

  EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &old), 0);
  std::signal(SIGXFSZ, ignored);
  EXPECT_EQ(failed, "File too large");
  EXPECT_EQ(text_in(path), "old");
  const auto entries = std::filesystem::directory_iterator(folder_);
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST_F(WholeFile, IsNotWrittenByTwoAtOnceUnderOneName) {
  std::filesystem::create_directories(folder_);
  const auto path = folder_ / "file";
  // What another node's process of the same number would have taken.
  std::ofstream(fmt::format("{}.{}", path.string(), getpid())) << "other's";

  EXPECT_FALSE(write_whole_file(path, "text"));

  EXPECT_EQ(text_in(path), "text");
  EXPECT_EQ(text_in(fmt::format("{}.{}", path.string(), getpid())), "other's");
}

TEST_F(WholeFile, IsTheOneThatALinkLeadsTo) {
  EXPECT_FALSE(write_whole_file(folder_ / "a" / "file", "old"));
  std::filesystem::create_symlink("a/file", folder_ / "link");

  EXPECT_FALSE(write_whole_file(folder_ / "link", "new"));

  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link"));
  EXPECT_EQ(text_in(folder_ / "a" / "file"), "new");
}

TEST_F(WholeFile, MayBeADevice) { EXPECT_FALSE(write_whole_file("/dev/null", "text")); }

TEST_F(WholeFile, OnAFullDiskIsAFailureAndNoMistake) {
  EXPECT_THROW((void)write_whole_file("/dev/full", "text"), SystemError);
}

TEST(FileNames, HoldLettersDigitsAndSingleDashes) {
  EXPECT_EQ(file_name_of("Intel(R) Xeon(R), 2 cores"), "intel-r-xeon-r-2-cores");
}

}  // namespace

}  // namespace linerate
