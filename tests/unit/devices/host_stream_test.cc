// Inline and async streams of the host: order, events, failures.
#include "devices/cpu/host_stream.h"

#include "base/error.h"
#include "devices/cpu/cpu_device.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <future>
#include <memory>
#include <thread>
#include <vector>

namespace linerate {
namespace {

class HostStreams : public testing::TestWithParam<StreamKind> {
 protected:
  SteadyClock clock_;
  std::unique_ptr<Device> device_ = make_cpu_device(0, clock_);
  std::unique_ptr<Stream> stream_ = device_->open_stream(GetParam());
};

TEST_P(HostStreams, RunWorkInOrder) {
  std::vector<int> order;

  for (int i = 0; i < 100; ++i) stream_->run([&order, i] { order.push_back(i); });
  stream_->synchronize(Deadline::never());

  ASSERT_EQ(order.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
  EXPECT_TRUE(stream_->idle());
}

TEST_P(HostStreams, StampEventsInTheOrderOfTheirWork) {
  const Event start = stream_->record();
  stream_->run([] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); });
  const Event end = stream_->record();

  end.wait(Deadline::never());

  EXPECT_TRUE(start.done());
  EXPECT_GE(elapsed_us(start, end), 2000);
}

TEST_P(HostStreams, CopyAndZeroInTheirPlaceInTheQueue) {
  std::array<std::byte, 64> from{}, to{};
  from.fill(std::byte{7});

  device_->copy(to, from, *stream_);
  device_->zero(View(to).first(32), *stream_);
  stream_->synchronize(Deadline::never());

  EXPECT_EQ(to[31], std::byte{0});
  EXPECT_EQ(to[32], std::byte{7});
}

TEST_P(HostStreams, StartWhatFollowsAWaitAfterTheOtherStreamsEvent) {
  const auto other = device_->open_stream(StreamKind::async);
  std::atomic<bool> first_is_done = false;
  bool seen = false;

  other->run([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    first_is_done = true;
  });
  stream_->wait(other->record());
  stream_->run([&] { seen = first_is_done; });
  stream_->synchronize(Deadline::never());

  EXPECT_TRUE(seen);
}

INSTANTIATE_TEST_SUITE_P(, HostStreams, testing::Values(StreamKind::own, StreamKind::async),
                         [](const auto& kind) {
                           return kind.param == StreamKind::async ? "Async" : "Inline";
                         });

class AsyncStream : public testing::Test {
 protected:
  SteadyClock clock_;
  std::unique_ptr<Device> device_ = make_cpu_device(0, clock_);
  std::unique_ptr<Stream> stream_ = device_->open_stream(StreamKind::async);
};

TEST_F(AsyncStream, RunsBesideTheCallingThread) {
  std::promise<void> go;

  stream_->run([&] { go.get_future().wait(); });
  const Event behind = stream_->record();

  EXPECT_FALSE(stream_->idle());
  EXPECT_FALSE(behind.done());
  go.set_value();
  stream_->synchronize(Deadline::never());
  EXPECT_TRUE(behind.done());
}

TEST_F(AsyncStream, ThrowsItsFirstFailureAtEveryLaterWaitAndCancelsTheRest) {
  bool ran = false, cancelled = false;

  stream_->run([] { throw PeerFailure("Rank 3 died.", {3}); });
  stream_->queue()->push(
      {.run = [&] { ran = true; }, .cancel = [&](const std::exception_ptr&) { cancelled = true; }});
  const Event behind = stream_->record();

  EXPECT_THROW(stream_->synchronize(Deadline::never()), PeerFailure);
  EXPECT_THROW(stream_->check(), PeerFailure);
  EXPECT_THROW(behind.wait(Deadline::never()), PeerFailure);
  EXPECT_THROW((void)behind.done(), PeerFailure);
  EXPECT_FALSE(ran);
  EXPECT_TRUE(cancelled);
}

TEST_F(AsyncStream, FailsWhereTheWorkBeforeAnEventThatItWaitsForFailed) {
  const auto other = device_->open_stream(StreamKind::async);
  bool ran = false;

  other->run([] { throw PeerFailure("Rank 3 died.", {3}); });
  stream_->wait(other->record());
  stream_->run([&] { ran = true; });

  EXPECT_THROW(stream_->synchronize(Deadline::never()), PeerFailure);
  EXPECT_FALSE(ran);
}

TEST_F(AsyncStream, GivesUpWaitingAtTheDeadline) {
  std::promise<void> go;

  stream_->run([&] { go.get_future().wait(); });

  EXPECT_THROW(stream_->synchronize(Deadline::after(clock_, 0.03)), TimeoutError);
  EXPECT_THROW(stream_->record().wait(Deadline::after(clock_, 0.03)), TimeoutError);
  go.set_value();
  stream_->synchronize(Deadline::never());
}

TEST_F(AsyncStream, CancelsWhatHasNotBegunWhenItIsDestroyed) {
  const auto other = device_->open_stream(StreamKind::async);
  std::promise<void> go;
  other->run([&] { go.get_future().wait(); });
  std::atomic<bool> ran = false;
  stream_->wait(other->record());
  stream_->run([&] { ran = true; });

  stream_.reset();

  EXPECT_FALSE(ran);
  go.set_value();
  other->synchronize(Deadline::never());
}

TEST_F(AsyncStream, LeavesEventsThatOutliveIt) {
  const Event event = stream_->record();
  stream_->synchronize(Deadline::never());

  stream_.reset();

  EXPECT_TRUE(event.done());
}

}  // namespace
}  // namespace linerate
