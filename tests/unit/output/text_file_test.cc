// Files that get whole texts, and pipes whose reader is gone.
#include "output/text_file.h"

#include "base/error.h"
#include "support/folder.h"
#include "unit/output/pipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <string>
#include <thread>
#include <utility>

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

TEST(TextFile, DropsALineThatIsTorn) {
  const TemporaryFolder folder;
  const std::string longer(5000, 'x');
  const std::pair<std::string, std::string> rows[] = {{"one\ntw", "one\n"},
                                                      {"one\ntwo\n", "one\ntwo\n"},
                                                      {"on", ""},
                                                      {"", ""},
                                                      {"one\n" + longer, "one\n"}};
  for (const auto& [text, whole] : rows) {
    folder.write("file", text);
    auto file = TextFile::append(folder.path("file"));
    (*std::move(file)).drop_torn_line();
    EXPECT_EQ(folder.read("file"), whole);
  }
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

TEST(TextFile, ReplacesItsEnd) {
  const TemporaryFolder folder;
  auto file = *TextFile::create_new(folder.path("a"));

  file.replace_end("", "[1]");
  file.replace_end("]", ",22]");
  file.replace_end("]", "]\n");

  EXPECT_EQ(folder.read("a"), "[1,22]\n");
}

TEST(TextFile, EndsTheWaitForAPipesReaderWhenItIsInterrupted) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);

  EXPECT_THROW((void)TextFile::append(folder.path("pipe"), [] { return true; }), Error);
}

TEST(TextFile, WaitsForAPipesReader) {
  const TemporaryFolder folder;
  const auto path = folder.path("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::string got(4, '\0');

  std::thread reader([&] {
    const FileDescriptor fd(::open(path.c_str(), O_RDONLY));
    got.resize(static_cast<std::size_t>(std::max<ssize_t>(::read(fd.get(), got.data(), 4), 0)));
  });
  (*TextFile::append(path)).write("text");
  reader.join();

  EXPECT_EQ(got, "text");
}

TEST(TextFile, DoesNotWaitForASocket) {
  const TemporaryFolder folder;
  const FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  folder.path("socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);

  EXPECT_FALSE(TextFile::append(folder.path("socket")));
}

TEST(TextFile, TellsATerminalFromAPipe) {
  Pipe pipe;

  EXPECT_FALSE(pipe.writer().terminal());
}

}  // namespace
}  // namespace linerate
