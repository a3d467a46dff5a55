// Tests of handover.h: a descriptor reaches those who ask for it, and failures end the wait.
#include "backends/host/handover.h"

#include "base/error.h"
#include "processes.h"

#include <gtest/gtest.h>

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

TEST(Handover, GivesTheSameFileToEveryClient) {
  const std::string name = unique_name();
  FileServer server(name);
  const FileDescriptor file(memfd_create("test", MFD_CLOEXEC));
  ino_t fetched[2] = {};

  {
    const auto fetch = [&](ino_t& to) {
      to = file_behind(fetch_file(name, Deadline::never()).get());
    };
    const std::jthread first(fetch, std::ref(fetched[0]));
    const std::jthread second(fetch, std::ref(fetched[1]));
    server.serve(file.get(), 2, Deadline::never());
  }

  EXPECT_EQ(fetched[0], file_behind(file.get()));
  EXPECT_EQ(fetched[1], file_behind(file.get()));
}

TEST(Handover, GivesUpAtItsDeadline) {
  ManualClock clock;
  const auto deadline = Deadline::after(clock, 1);
  FileServer server(unique_name());
  clock.advance(2'000'000'000);

  EXPECT_THROW(server.serve(0, 1, deadline), TimeoutError);
}

// The client's socket takes the last descriptor that the limit leaves.
TEST(Handover, EndsWithTheSystemsErrorWhenThereIsNoDescriptorLeft) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizers' own checks need descriptors";
#endif
  const int code = exit_code_of_child([] {
    const std::string name = unique_name();
    auto server = std::make_unique<FileServer>(name);
    const auto next = static_cast<rlim_t>(FileDescriptor(dup(0)).get());
    const rlimit limit{.rlim_cur = next + 1, .rlim_max = next + 1};
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return 1;
    const std::jthread client([&] {
      try {
        (void)fetch_file(name, Deadline::never());
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
