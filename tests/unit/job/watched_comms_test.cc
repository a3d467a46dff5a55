// Aborting communicators from another thread, whenever they come to be.
#include "job/watched_comms.h"

#include "backends/fake/fake_backend.h"
#include "base/clock.h"
#include "base/error.h"
#include "launch/solo_bootstrap.h"

#include <gtest/gtest.h>

#include <string>

namespace linerate {
namespace {

struct OneRank {
  SteadyClock clock;
  std::unique_ptr<Backend> backend = make_fake_backend({});
  std::unique_ptr<Bootstrap> member = solo_bootstrap();
  std::unique_ptr<Device> device = backend->open_device(0);
  std::unique_ptr<Stream> stream = device->stream();
  std::unique_ptr<Communicator> comm = connect();

  std::unique_ptr<Communicator> connect() {
    Device* const devices[] = {device.get()};
    return std::move(
        backend->connect(*member, devices, {.deadline = Deadline::after(clock, 60)}).front());
  }
};

TEST(WatchedComms, AreAbortedTogether) {
  OneRank rank;
  WatchedComms watched;
  watched.add(rank.comm.get());
  rank.comm->barrier();

  watched.abort_all();

  EXPECT_THROW(rank.comm->barrier(), PeerFailure);
}

// Writes down what it is told.
class Telling final : public Communicator {
 public:
  explicit Telling(std::string& told) : told_(told) {}
  int rank() const override { return 0; }
  int nranks() const override { return 1; }
  Device& device() override { throw Error("not asked for"); }
  void enqueue(const Op&, Stream&) override {}
  void enqueue_batch(std::span<const Op>, Stream&) override {}
  Buffer allocate(std::size_t, MemoryKind) override { return {}; }
  std::unique_ptr<Communicator> split(int, int) override { return nullptr; }
  void barrier() override {}
  Inspector& inspector() override { throw Error("not asked for"); }
  bool stop_calls() noexcept override {
    told_ += "stop ";
    return true;
  }
  void abort() noexcept override { told_ += "abort "; }

 private:
  std::string& told_;
};

TEST(WatchedComms, AreStoppedAndAbortedAllAtOnce) {
  std::string told;
  Telling one(told), other(told);
  WatchedComms watched;
  watched.add(&one);
  watched.add(&other);

  EXPECT_TRUE(watched.stop_all());
  watched.abort_all();

  EXPECT_EQ(told, "stop stop abort abort ");
}

TEST(WatchedComms, ThatComeAfterwardsAreStoppedToo) {
  std::string told;
  Telling late(told);
  WatchedComms watched;
  EXPECT_FALSE(watched.stop_all());

  watched.add(&late);

  EXPECT_EQ(told, "stop ");
}

TEST(WatchedComms, AbortWhoeverComesTooLate) {
  OneRank rank;
  WatchedComms watched;
  watched.abort_all();

  watched.add(rank.comm.get());

  EXPECT_THROW(rank.comm->barrier(), PeerFailure);
}

TEST(WatchedComms, RememberCallsOfThoseThatLiveNoMore) {
  OneRank rank;
  WatchedComms watched;
  watched.add(nullptr);
  watched.add(rank.comm.get());
  rank.comm->barrier();
  const auto before = watched.calls_begun();

  watched.clear();
  rank.comm.reset();

  EXPECT_GT(before, 0U);
  EXPECT_EQ(watched.calls_begun(), before);
}

}  // namespace
}  // namespace linerate
