// liblinerate-mpi.so, opened at run time by a program that knows nothing of MPI.
#include "backends/table.h"
#include "support/naive.h"
#include "system/mpi_world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <exception>
#include <memory>
#include <utility>

namespace linerate {
namespace {

class MpiModule : public ::testing::Test {
 public:
  static inline JobSession* session = nullptr;  // main()'s

 protected:
  const SteadyClock clock_;
  const Environment environment_ = Environment::of_process();
};

TEST_F(MpiModule, MovesDataWithUserDefinedOperatorsToo) {
  const auto backend = open_backend(
      **find_backend("mpi"), {.clock = clock_, .environment = environment_, .session = session});
  const auto device = backend->open_device(0);
  const auto stream = device->stream();
  Device* const local[] = {device.get()};
  const auto comms = backend->connect(session->bootstrap(), local, {});

  for (const auto type : {DataType::float32, DataType::float16, DataType::f8e5m2})
    for (const auto op : {RedOp::sum, RedOp::avg, RedOp::mulsum}) {
      const auto wrong =
          naive::difference(*comms.front(), *stream, {.type = type, .op = op, .count = 1000});
      EXPECT_FALSE(wrong) << *wrong;
    }
  EXPECT_THAT(backend->version(), ::testing::HasSubstr("MPI"));
}

TEST_F(MpiModule, ThrowsErrorsThatTheProgramCatchesByType) {
  const auto backend = open_backend(
      **find_backend("mpi"), {.clock = clock_, .environment = environment_, .session = session});
  const auto device = backend->open_device(0);
  Device* const local[] = {device.get(), device.get()};

  EXPECT_THROW((void)backend->connect(session->bootstrap(), local, {}), Unavailable);
}

}  // namespace
}  // namespace linerate

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const linerate::SteadyClock clock;
  const auto environment = linerate::Environment::of_process();
  const auto session = linerate::open_session(**linerate::find_backend("mpi"),
                                              linerate::input_of_this_process(clock), environment);
  linerate::MpiModule::session = session.get();
  return linerate::run_all_on_ranks(session->bootstrap());
}
