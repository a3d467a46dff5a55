// Files that get whole texts, and pipes whose reader is gone.
#include "output/text_file.h"

#include "base/error.h"
#include "unit/output/pipe.h"
#include "unit/output/temporary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <thread>

namespace linerate {
namespace {

using ::testing::HasSubstr;

TEST(TextFile, AppendsBehindWhatIsThere) {
  const TemporaryFolder folder;
  folder.write("a", "one\n");

  auto file = TextFile::append(folder.path("a"));
  ASSERT_TRUE(file);
  (*std::move(file)).write("two\n");

  EXPECT_EQ(folder.read("a"), "one\ntwo\n");
}

TEST(TextFile, AppendsBehindWhatOthersAddMeanwhile) {
  const TemporaryFolder folder;
  auto first = *TextFile::append(folder.path("a"));
  auto second = *TextFile::append(folder.path("a"));

  first.write("1\n");
  second.write("2\n");
  first.write("3\n");

  EXPECT_EQ(folder.read("a"), "1\n2\n3\n");
}

TEST(TextFile, SaysWhyItCannotBeOpened) {
  const TemporaryFolder folder;

  const auto file = TextFile::append(folder.path("no/such/folder"));

  ASSERT_FALSE(file);
  EXPECT_THAT(file.sentence(), HasSubstr("no/such/folder': No such file or directory."));
}

TEST(TextFile, NeverOverwritesANewFile) {
  const TemporaryFolder folder;
  folder.write("a", "kept");
  folder.write("a.0", "kept too");

  auto file = TextFile::create_new(folder.path("a"));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->path(), folder.path("a.1"));
  (*std::move(file)).write("new");

  EXPECT_EQ(folder.read("a"), "kept");
  EXPECT_EQ(folder.read("a.0"), "kept too");
  EXPECT_EQ(folder.read("a.1"), "new");
}

TEST(TextFile, DoesNotSearchForAFreeNameWhereNoneCanBe) {
  const TemporaryFolder folder;

  EXPECT_FALSE(TextFile::create_new(folder.path("missing/a")));
}

TEST(TextFile, KnowsATornLastLine) {
  const TemporaryFolder folder;
  folder.write("torn", "one\ntw");
  folder.write("whole", "one\ntwo\n");

  EXPECT_FALSE(TextFile::append(folder.path("torn"))->ends_with_line());
  EXPECT_TRUE(TextFile::append(folder.path("whole"))->ends_with_line());
  EXPECT_TRUE(TextFile::append(folder.path("new"))->ends_with_line());
  EXPECT_TRUE(TextFile::append("/dev/null")->ends_with_line());
}

TEST(TextFile, ThrowsOnceWhenTheReaderIsGone) {
  Pipe pipe;
  auto file = pipe.writer();
  pipe.close_reader();

  EXPECT_THROW(file.write("text\n"), SystemError);
  EXPECT_NO_THROW(file.write("footer\n"));
}

TEST(TextFile, WritesATextAtOnce) {
  Pipe pipe;
  auto file = pipe.writer();

  file.write("one\n");
  file.write("two\n");

  EXPECT_EQ(pipe.read(), "one\ntwo\n");
}

TEST(TextFile, WaitsForADescriptorThatOthersMadeNonBlocking) {
  Pipe pipe;
  ::fcntl(pipe.writing_end(), F_SETFL, O_NONBLOCK);
  auto file = pipe.writer();
  const std::string text(1 << 20, 'x');
  std::size_t got = 0;

  std::thread reader([&] {
    while (got < text.size()) got += pipe.read().size();
  });
  file.write(text);
  reader.join();

  EXPECT_EQ(got, text.size());
}

TEST(TextFile, TellsATerminalFromAPipe) {
  Pipe pipe;

  EXPECT_FALSE(pipe.writer().terminal());
}

}  // namespace
}  // namespace linerate
