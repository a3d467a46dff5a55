// What differs from an account is named, each figure by itself.
#include "trainers/engine/accounting.h"

#include "base/clock.h"
#include "devices/cpu/cpu_device.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace linerate::trainers {
namespace {

class AccountedStep : public ::testing::Test {
 protected:
  AccountedStep() {
    account_.sent = sent_;
    hold(Category::parameter, account_.state.parameters = 40);
    hold(Category::gradient, account_.state.gradients = 30);
    hold(Category::optimizer, account_.state.optimizer = 20);
    account_.state.offloaded = sizeof(file_);
    held_.push_back(arena_.adopt(Category::offloaded, Buffer(file_, MemoryKind::host, {})));
    (void)arena_.allocate(Category::live, account_.live_bytes = 24);
  }
  void hold(Category category, std::size_t bytes) {
    held_.push_back(arena_.allocate(category, bytes));
  }
  std::string said() const { return difference(account_, sent_, arena_).value_or(""); }

  SentBytes sent_{{{"dp_shard", "norm"}, 8}, {{"dp_shard", "loss"}, 16}};
  Account account_;

 private:
  SteadyClock clock_;
  const std::unique_ptr<Device> device_ = make_cpu_device(0, clock_);
  Arena arena_{*device_};
  std::byte file_[10]{};
  std::vector<Block> held_;
};

TEST_F(AccountedStep, IsAsItsAccountSays) { EXPECT_EQ(said(), ""); }

TEST_F(AccountedStep, NamesBytesThatWereNotSent) {
  sent_.erase({"dp_shard", "loss"});

  EXPECT_EQ(said(),
            "Bytes sent on dp_shard for loss in a step: 0 were counted, 16 are accounted for.");
}

TEST_F(AccountedStep, NamesBytesThatNobodyAccountsFor) {
  sent_[{"dp_shard", "other"}] = 1;

  EXPECT_EQ(said(),
            "Bytes sent on dp_shard for other in a step: 1 were counted, 0 are accounted for.");
}

TEST_F(AccountedStep, TakesAnotherAxisForAnotherCall) {
  sent_[{"dp_replicate", "norm"}] = std::exchange(sent_[{"dp_shard", "norm"}], 0);

  EXPECT_EQ(said(),
            "Bytes sent on dp_replicate for norm in a step: 8 were counted, 0 are accounted for.");
}

TEST_F(AccountedStep, LeavesOutCallsForMetrics) {
  sent_[{"dp_shard", "metrics"}] = 5;

  EXPECT_EQ(said(), "");
}

TEST_F(AccountedStep, NamesEachFigureOfMemory) {
  const auto said_without_one = [&](std::uint64_t& bytes) {
    --bytes;
    auto sentence = said();
    ++bytes;
    return sentence;
  };

  EXPECT_EQ(said_without_one(account_.state.parameters),
            "Bytes held for parameters in a step: 40 were counted, 39 are accounted for.");
  EXPECT_EQ(said_without_one(account_.state.gradients),
            "Bytes held for gradients in a step: 30 were counted, 29 are accounted for.");
  EXPECT_EQ(said_without_one(account_.state.optimizer),
            "Bytes held for the optimizer in a step: 20 were counted, 19 are accounted for.");
  EXPECT_EQ(said_without_one(account_.state.offloaded),
            "Bytes held in a file for the optimizer in a step: 10 were counted, 9 are accounted "
            "for.");
  EXPECT_EQ(said_without_one(account_.live_bytes),
            "Bytes held at most for gathered parameters in a step: 24 were counted, 23 are "
            "accounted for.");
}

TEST_F(AccountedStep, NamesGatheredParametersThatAreStillThere) {
  hold(Category::live, 24);

  EXPECT_EQ(said(),
            "Bytes held for gathered parameters in a step: 24 were counted, 0 are accounted for.");
}

}  // namespace
}  // namespace linerate::trainers
