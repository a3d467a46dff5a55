// Strangers at a listener: those that are silent, slow, too many or say too much.
#include "base/acceptor.h"

#include "base/unix_socket.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {
namespace {

constexpr std::string_view kPassword = "open";

// An acceptor that keeps who says kPassword; strangers by connecting to name().
class Door {
 public:
  explicit Door(const Acceptor::Limits& limits)
      : acceptor_(listeners(), limits, [this](FileDescriptor& connection, auto bytes) {
          const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
          if (text.size() < kPassword.size()) return Acceptor::Next::wait;
          if (text == kPassword) kept_.push_back(std::move(connection));
          return Acceptor::Next::drop;
        }) {}

  FileDescriptor connection() const { return connect_unix(name()); }
  void serve(int times = 4) {
    for (int i = 0; i < times; ++i) (void)acceptor_.serve(10);
  }
  std::size_t nkept() const { return kept_.size(); }

 private:
  static std::string name() { return fmt::format("linerate-door-{}", ::getpid()); }
  static std::vector<FileDescriptor> listeners() {
    std::vector<FileDescriptor> one;
    one.push_back(listen_unix(name()));
    return one;
  }

  std::vector<FileDescriptor> kept_;
  Acceptor acceptor_;
};

void say_to(const FileDescriptor& connection, std::string_view text) {
  ASSERT_TRUE(send_whole(connection.get(), std::as_bytes(std::span(text))));
}

bool is_closed(const FileDescriptor& connection) {
  char byte = 0;
  const auto got = ::recv(connection.get(), &byte, 1, MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno == ECONNRESET);  // reset where bytes were left unread
}

TEST(Acceptor, KeepsWhoKnowsTheWordWhateverStrangersDo) {
  Door door({});
  const auto silent = door.connection();
  const auto wrong = door.connection();
  const auto right = door.connection();
  say_to(wrong, "shut");
  say_to(right, "op");
  door.serve();
  say_to(right, "en");

  door.serve();

  EXPECT_EQ(door.nkept(), 1u);
  EXPECT_TRUE(is_closed(wrong));
  EXPECT_FALSE(is_closed(silent));
}

TEST(Acceptor, DropsTheOneThatHasWaitedLongestWhereThereAreTooMany) {
  Door door({.max_pending = 2});
  const auto first = door.connection();
  const auto second = door.connection();
  const auto third = door.connection();

  door.serve();

  EXPECT_TRUE(is_closed(first));
  EXPECT_FALSE(is_closed(second));
  EXPECT_FALSE(is_closed(third));
}

TEST(Acceptor, HearsAllOfACrowdThatIsLargerThanItsRoom) {
  Door door({.max_pending = 2});
  std::vector<FileDescriptor> crowd;
  for (int i = 0; i < 8; ++i) {
    crowd.push_back(door.connection());
    say_to(crowd.back(), kPassword);
  }

  door.serve();

  EXPECT_EQ(door.nkept(), 8u);
}

TEST(Acceptor, DropsOneThatIsSilentForTooLong) {
  Door door({.timeout_s = 0.02});
  const auto silent = door.connection();

  door.serve(8);

  EXPECT_TRUE(is_closed(silent));
}

TEST(Acceptor, DropsOneThatSaysTooMuch) {
  Door door({.max_bytes = 3});  // less than the word: nobody can say it
  const auto talker = door.connection();
  say_to(talker, "abcdefgh");

  door.serve();

  EXPECT_TRUE(is_closed(talker));
  EXPECT_EQ(door.nkept(), 0u);
}

}  // namespace
}  // namespace linerate
