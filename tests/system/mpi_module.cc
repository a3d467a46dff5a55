// liblinerate-mpi.so, opened at run time by a program that knows nothing of MPI.
#include "backends/table.h"
#include "conformance/cases.h"
#include "conformance/rank.h"
#include "system/mpi_world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace linerate {
namespace {

using ::testing::HasSubstr;

class MpiModule : public ::testing::Test {
 public:
  static inline JobSession* session = nullptr;  // main()'s

 protected:
  std::unique_ptr<Communicator> connect() {
    Device* const local[] = {device_.get()};
    return std::move(backend_->connect(session->bootstrap(), local, {}).front());
  }

  const SteadyClock clock_;
  const Environment environment_ = Environment::of_process();
  const std::unique_ptr<Backend> backend_ = open_backend(
      **find_backend("mpi"), {.clock = clock_, .environment = environment_, .session = session});
  const std::unique_ptr<Device> device_ = backend_->open_device(0);
};

TEST_F(MpiModule, GivesTheExactResultOfEveryCaseThatTheTableDefines) {
  const auto comm = connect();
  const auto cases = conformance::defined_cases(comm->nranks());
  std::size_t bytes = 0;
  for (const auto& c : cases)
    bytes = std::max(bytes, conformance::Rank::bytes_of_case(c, comm->nranks()));
  conformance::Rank rank(*comm, bytes);

  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto wrong = rank.failure_of(cases[i], i);
    EXPECT_FALSE(wrong) << conformance::text_of(cases[i]) << ": " << *wrong;
  }

  EXPECT_EQ(cases.size(), conformance::defined_count(comm->nranks()));
}

TEST_F(MpiModule, SaysWhichMpiItIs) { EXPECT_THAT(backend_->version(), HasSubstr("MPI")); }

TEST_F(MpiModule, ThrowsErrorsThatTheProgramCatchesByType) {
  Device* const local[] = {device_.get(), device_.get()};

  EXPECT_THROW((void)backend_->connect(session->bootstrap(), local, {}), Unavailable);
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
