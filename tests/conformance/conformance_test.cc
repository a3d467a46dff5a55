// Every collective x type x operator x placement x root x size on every backend under test, with
// threads as ranks.
#include "backends/fake/fake_backend.h"
#include "conformance/backends.h"
#include "conformance/cases.h"
#include "conformance/rank.h"
#include "support/spawn.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <mutex>

namespace linerate::conformance {
namespace {

// What went wrong, over all ranks and cases.
class Report {
 public:
  void add(const Case& c, const std::string& wrong) {
    const std::lock_guard lock(mutex_);
    ++failures_;
    if (sentences_.size() < kShown) sentences_.push_back(text_of(c) + ": " + wrong);
  }
  void add_run(std::size_t cases) {
    const std::lock_guard lock(mutex_);
    runs_.push_back(cases);
  }
  std::size_t failures() const { return failures_; }
  // Empty when every rank ran `cases` cases and all were right.
  std::string text(std::size_t cases, int nranks) const {
    std::string text;
    for (const auto& sentence : sentences_) text += sentence + "\n";
    if (failures_ > sentences_.size()) text += fmt::format("… {} in all\n", failures_);
    if (runs_ != std::vector(static_cast<std::size_t>(nranks), cases))
      text += fmt::format("not every rank ran {} cases\n", cases);
    return text;
  }

 private:
  static constexpr std::size_t kShown = 10;
  std::mutex mutex_;
  std::size_t failures_ = 0;
  std::vector<std::string> sentences_;
  std::vector<std::size_t> runs_;
};

// How ranks make their calls.
struct How {
  const char* algorithm = "";
  StreamKind stream = StreamKind::own;
};

// Runs the cases on `nranks` threads, each a rank.
void run(Backend& backend, int nranks, const std::vector<Case>& cases, Report& report,
         const How& how = {}) {
  std::size_t bytes = 0;
  for (const auto& c : cases) bytes = std::max(bytes, Rank::bytes_of_case(c, nranks));
  spawn(nranks, [&](Bootstrap& member) {
    const auto device = backend.open_device(member.rank());
    Device* const local[] = {device.get()};
    const auto comms = backend.connect(member, local, {});
    comms.front()->inspector().use_algorithm(how.algorithm);
    Rank rank(*comms.front(), bytes, how.stream);
    for (std::size_t i = 0; i < cases.size(); ++i)
      if (const auto wrong = rank.failure_of(cases[i], i)) report.add(cases[i], *wrong);
    report.add_run(cases.size());
  });
}

class Conformance : public testing::TestWithParam<std::tuple<BackendRow, int>> {
 protected:
  SteadyClock clock_;
  std::unique_ptr<Backend> backend_ = std::get<0>(GetParam()).make(clock_);
  const char* algorithm_ = std::get<0>(GetParam()).algorithm;
  int nranks_ = std::get<1>(GetParam());
  Report report_;

  void run_defined_cases(const How& how) {
    auto cases = defined_cases(nranks_);
    const auto lacks = std::get<0>(GetParam()).lacks;
    const auto lacking =
        std::erase_if(cases, [&](const Case& c) { return lacks != nullptr && lacks(c, nranks_); });

    run(*backend_, nranks_, cases, report_, how);

    EXPECT_EQ(report_.text(defined_count(nranks_) - lacking, nranks_), "");
  }
};

TEST_P(Conformance, EveryDefinedCaseGivesExactlyItsResult) {
  run_defined_cases({.algorithm = algorithm_});
}

class ConformanceOnAsyncStreams : public Conformance {};

TEST_P(ConformanceOnAsyncStreams, EveryDefinedCaseGivesExactlyItsResult) {
  run_defined_cases({.stream = StreamKind::async});
}

class ConformanceBeyondCaches : public Conformance {};

// Of the larger of a rank's two buffers.
constexpr std::size_t kLargeBytes = std::size_t{kSanitized ? 8 : 20} << 20;

TEST_P(ConformanceBeyondCaches, EveryCollectiveGivesExactlyItsResult) {
  const auto cases = large_cases(nranks_, kLargeBytes);

  run(*backend_, nranks_, cases, report_, {.algorithm = algorithm_});

  EXPECT_EQ(report_.text(cases.size(), nranks_), "");
}

// The harness itself: a fault in the backend must not pass.
TEST(ConformanceHarness, FindsAFlippedBitInEveryCall) {
  const auto backend = make_fake_backend({.flips = {{.rank = 1}}});
  auto cases = defined_cases(2);
  std::erase_if(cases, [](const Case& c) { return c.size.count == 0; });
  Report report;

  run(*backend, 2, cases, report);

  EXPECT_GT(report.failures(), cases.size() / 2);
}

std::string name_of_test(const testing::TestParamInfo<std::tuple<BackendRow, int>>& info) {
  return fmt::format("{}{}Ranks", std::get<0>(info.param).name, std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Threads, Conformance,
                         testing::Combine(testing::ValuesIn(backends_under_test()),
                                          testing::ValuesIn(rank_counts())),
                         name_of_test);
INSTANTIATE_TEST_SUITE_P(Threads, ConformanceOnAsyncStreams,
                         testing::Combine(testing::ValuesIn(backends_under_test()),
                                          testing::Values(3)),
                         name_of_test);
INSTANTIATE_TEST_SUITE_P(Algorithms, Conformance,
                         testing::Combine(testing::ValuesIn(algorithms_under_test()),
                                          testing::Values(3, 8)),
                         name_of_test);
INSTANTIATE_TEST_SUITE_P(Algorithms, ConformanceBeyondCaches,
                         testing::Combine(testing::ValuesIn(algorithms_under_test()),
                                          testing::Values(5)),
                         name_of_test);
INSTANTIATE_TEST_SUITE_P(Threads, ConformanceBeyondCaches,
                         testing::Combine(testing::ValuesIn(backends_under_test()),
                                          testing::Values(2)),
                         name_of_test);

}  // namespace
}  // namespace linerate::conformance
