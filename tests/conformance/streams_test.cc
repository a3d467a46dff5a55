// Streams, events, batches and decorators on every backend under test, with threads as ranks.
#include "conformance/backends.h"
#include "conformance/stream_cases.h"
#include "support/spawn.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

namespace linerate::conformance {
namespace {

class Streams : public testing::TestWithParam<std::tuple<BackendRow, int>> {
 protected:
  void run(const std::function<void(std::unique_ptr<Communicator>&)>& body) {
    const auto [row, nranks] = GetParam();
    const SteadyClock clock;
    const auto backend = row.make(clock);
    spawn(nranks, [&](Bootstrap& member) {
      const auto device = backend->open_device(member.rank());
      Device* const local[] = {device.get()};
      auto comms = backend->connect(member, local, {});
      body(comms.front());
    });
  }
};

TEST_P(Streams, RunCommunicatorsAtOnce) {
  run([](auto& world) { expect_communicators_run_at_once(*world); });
}

TEST_P(Streams, KeepTheOrderOfOneCommunicatorsCalls) {
  run([](auto& world) { expect_one_order_over_streams(*world); });
}

TEST_P(Streams, RunASplitOfASplitBesideItsParent) {
  run([](auto& world) { expect_split_of_split_beside_its_parent(*world); });
}

TEST_P(Streams, TakeBatchesWithoutDeadlock) {
  run([](auto& world) {
    expect_batches_without_deadlock(*world, StreamKind::own);
    expect_batches_without_deadlock(*world, StreamKind::async);
  });
}

TEST_P(Streams, WaitForEachOthersEvents) {
  run([](auto& world) { expect_events_order_streams(*world); });
}

TEST_P(Streams, CarryTagsThroughDecorators) {
  run([](auto& world) { expect_decorators_count_bytes_by_tag(std::move(world)); });
}

std::string name_of_streams_test(const testing::TestParamInfo<std::tuple<BackendRow, int>>& info) {
  return fmt::format("{}{}Ranks", std::get<0>(info.param).name, std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Threads, Streams,
                         testing::Combine(testing::ValuesIn(backends_under_test()),
                                          testing::Values(1, 2, 4)),
                         name_of_streams_test);

}  // namespace
}  // namespace linerate::conformance
