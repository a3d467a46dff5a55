// A descriptor reaches those who ask for it, and failures end the wait.
#include "backends/host/fd_passing.h"

#include "base/error.h"
#include "base/unix_socket.h"
#include "processes.h"

#include <gtest/gtest.h>

#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace linerate::host {
namespace {

ino_t file_behind(int fd) {
  struct stat status {};
  EXPECT_EQ(fstat(fd, &status), 0);
  return status.st_ino;
}

TEST(FdPassing, GivesTheSameFileToEveryClient) {
  const std::string ticket = new_ticket();
  FdServer server(ticket);
  const FileDescriptor file(memfd_create("test", MFD_CLOEXEC));
  ino_t fetched[2] = {};

  {
    const auto fetch = [&](ino_t& to) {
      to = file_behind(fetch_file(ticket, Deadline::never()).get());
    };
    const std::jthread first(fetch, std::ref(fetched[0]));
    const std::jthread second(fetch, std::ref(fetched[1]));
    server.serve(file.get(), 2, Deadline::never());
  }

  EXPECT_EQ(fetched[0], file_behind(file.get()));
  EXPECT_EQ(fetched[1], file_behind(file.get()));
}

// Who reads the socket's name in /proc/net/unix, or connects to it and says nothing.
TEST(FdPassing, CountsNoStrangerAsAClient) {
  const std::string ticket = new_ticket();
  const auto other_key = ticket.substr(0, ticket.size() - 1) + (ticket.back() == '0' ? '1' : '0');
  FdServer server(ticket);
  const auto name = ticket.substr(0, 25);  // linerate-, and 16 digits
  const FileDescriptor silent = connect_unix(name);
  ASSERT_TRUE(silent);
  const FileDescriptor file(memfd_create("test", MFD_CLOEXEC));
  ino_t fetched = 0;

  {
    const std::jthread stranger(
        [&] { EXPECT_THROW((void)fetch_file(other_key, Deadline::never()), Error); });
    const std::jthread client([&] {
      (void)::poll(nullptr, 0, 200);  // the strangers come first
      fetched = file_behind(fetch_file(ticket, Deadline::never()).get());
    });
    const SteadyClock clock;
    server.serve(file.get(), 1, Deadline::after(clock, 20));
  }

  EXPECT_EQ(fetched, file_behind(file.get()));
}

TEST(FdPassing, GivesUpAtItsDeadline) {
  ManualClock clock;
  const auto deadline = Deadline::after(clock, 1);
  FdServer server(new_ticket());
  clock.advance(2'000'000'000);

  EXPECT_THROW(server.serve(0, 1, deadline), TimeoutError);
}

// The client's socket takes the last descriptor that the limit leaves.
TEST(FdPassing, EndsWithTheSystemsErrorWhenThereIsNoDescriptorLeft) {
#if defined(LINERATE_ASAN)
  GTEST_SKIP() << "the sanitizers' own checks need descriptors";
#endif
  const int code = exit_code_of_child([] {
    const std::string ticket = new_ticket();
    auto server = std::make_unique<FdServer>(ticket);
    const auto next = static_cast<rlim_t>(FileDescriptor(dup(0)).get());
    const rlimit limit{.rlim_cur = next + 1, .rlim_max = next + 1};
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return 1;
    const std::jthread client([&] {
      try {
        (void)fetch_file(ticket, Deadline::never());
      } catch (const Error&) {
      }
    });
    try {
      server->serve(0, 1, Deadline::never());
    } catch (const SystemError& error) {
      server.reset();  // so that the client ends too
      return error.code() == EMFILE ? 0 : 2;
    }
    return 3;
  });

  EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace linerate::host
