// Calls of one communicator over streams: order, failures, and a library that wants one thread.
#include "comm/call_order.h"

#include "base/error.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

namespace linerate {
namespace {

// A stream whose work runs when the test says so.
class HeldStream final : public Stream, public HostQueue {
 public:
  HeldStream() : Stream(this) {}

  void push(HostWork work) override { work_.push_back(std::move(work)); }
  void run_one() {
    const HostWork work = std::move(work_.front());
    work_.pop_front();
    work.run();
  }
  void cancel_one() {
    const HostWork work = std::move(work_.front());
    work_.pop_front();
    work.cancel(std::make_exception_ptr(PeerFailure("Rank 3 died.")));
  }
  std::size_t held() const { return work_.size(); }

  void synchronize(const Deadline&) override {
    while (!work_.empty()) run_one();
  }
  bool idle() override { return work_.empty(); }
  Event record() override { return {}; }
  void wait(const Event&) override {}

 private:
  std::deque<HostWork> work_;
};

class InlineStream final : public Stream {
 public:
  void synchronize(const Deadline&) override {}
  bool idle() override { return true; }
  Event record() override { return {}; }
  void wait(const Event&) override {}
};

// Writes down its calls by their counts.
class Written final : public BlockingCommunicator<Written> {
 public:
  explicit Written(std::string& text, bool on_caller = false) : text_(text) {
    if (on_caller) call_on_caller();
  }
  ~Written() override { end_calls(); }

  void call(const Op& op, Stream&) { text_ += std::to_string(op.count) + " "; }
  void call_batch(std::span<const Op> ops, Stream&) {
    text_ += "batch of " + std::to_string(ops.size()) + " ";
  }
  int rank() const override { return 0; }
  int nranks() const override { return 1; }
  Device& device() override { throw Error("not asked for"); }
  Buffer allocate(std::size_t, MemoryKind) override { return {}; }
  std::unique_ptr<Communicator> split(int, int) override { return nullptr; }
  void barrier() override {}
  void abort() noexcept override { text_ += "abort "; }
  std::string transport() const override { return "none"; }

 private:
  std::string& text_;
};

Op op_of(std::size_t count) { return {.count = count}; }

class Calls : public testing::Test {
 protected:
  std::string text_;
  HeldStream held_;
  InlineStream inline_;
};

TEST_F(Calls, OnAnInlineStreamAreMadeAtOnce) {
  Written comm(text_);

  comm.enqueue(op_of(1), inline_);
  comm.enqueue_batch(std::vector{op_of(2), op_of(3)}, inline_);

  EXPECT_EQ(text_, "1 batch of 2 ");
}

TEST_F(Calls, OnAnAsyncStreamAreMadeByItWithRangesOfTheirOwn) {
  Written comm(text_);
  {
    std::vector<Range> ranges{{0, 4}};
    Op op{.kind = OpKind::all_to_all_v, .count = 1};
    op.send_ranges = ranges;
    comm.enqueue(op, held_);
  }

  EXPECT_EQ(text_, "");
  held_.run_one();
  EXPECT_EQ(text_, "1 ");
}

TEST_F(Calls, AreDroppedWithAnAbortWhereTheirStreamHasFailed) {
  Written comm(text_);
  comm.enqueue(op_of(1), held_);

  held_.cancel_one();

  EXPECT_EQ(text_, "abort ");
}

TEST_F(Calls, ThatHaveNotBegunAreDroppedWithTheirCommunicator) {
  {
    Written comm(text_);
    comm.enqueue(op_of(1), held_);
  }

  held_.run_one();

  EXPECT_EQ(text_, "abort ");
}

// Peers may still be at work on what this rank has finished.
TEST_F(Calls, ThatAreDoneAreNotAbortedWithTheirCommunicator) {
  {
    Written comm(text_);
    comm.enqueue(op_of(1), held_);
    held_.run_one();
  }

  EXPECT_EQ(text_, "1 ");
}

TEST_F(Calls, OfALibraryThatWantsOneThreadAreMadeByTheCallerAfterTheStreamsWork) {
  Written comm(text_, true);
  held_.run([this] { text_ += "work "; });

  comm.enqueue(op_of(1), held_);

  EXPECT_EQ(text_, "work 1 ");
  EXPECT_EQ(held_.held(), 0u);
}

}  // namespace
}  // namespace linerate
