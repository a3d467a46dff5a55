// Neighbours that connect to a process which has no descriptor left for them.
#include "base/unix_socket.h"
#include "launch/watch/setup.h"
#include "unit/launch/few_descriptors.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <chrono>
#include <thread>

namespace linerate {
namespace {

constexpr double kWaitS = 0.5;

TEST(ControlAcceptor, WaitsWithoutSpinningWhereNoDescriptorIsLeft) {
  const auto name = fmt::format("linerate-acceptor-test-{}", ::getpid());
  std::vector<FileDescriptor> listeners;
  listeners.push_back(listen_unix(name));
  ControlAcceptor acceptor(std::move(listeners), {.self = 3, .secret = {}});
  FileDescriptor neighbour;
  double used_s = 0;
  {
    const FewDescriptors one(1);
    neighbour = connect_unix(name);
    const double before_s = cpu_seconds();
    std::this_thread::sleep_for(std::chrono::duration<double>(kWaitS));
    used_s = cpu_seconds() - before_s;
  }

  const ControlHello hello{.from = 5, .to = 3};
  ASSERT_TRUE(send_whole(neighbour.get(), std::as_bytes(std::span(&hello, 1))));
  std::uint32_t answer = 0;
  const SteadyClock clock;
  EXPECT_TRUE(recv_whole(neighbour.get(), std::as_writable_bytes(std::span(&answer, 1)),
                         Deadline::after(clock, 10)));

  EXPECT_LT(used_s, kWaitS / 4);
  EXPECT_EQ(answer, kHelloAck);
  EXPECT_TRUE(acceptor.finish().contains(5));
}

}  // namespace
}  // namespace linerate
