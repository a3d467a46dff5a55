// The profiler plugin without memory: no exception gets to NCCL, and what was lost is said.
#include "backends/nccl/profiler/entry_points.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

thread_local bool no_memory = false;  // operator new has no argument for it

}  // namespace

#if !defined(LINERATE_TSAN)
// The compiler does not see that the pair below belongs together.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(std::size_t bytes) {
  void* const memory = no_memory ? nullptr : std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace linerate::nccl::profiler {
namespace {

// As long as it lives this thread has no memory.
class NoMemory {
 public:
  NoMemory() { no_memory = true; }
  ~NoMemory() { no_memory = false; }
  NoMemory(const NoMemory&) = delete;
  NoMemory& operator=(const NoMemory&) = delete;
};

class WithoutMemory : public testing::Test {
 protected:
  void SetUp() override {
#if defined(LINERATE_TSAN)
    GTEST_SKIP() << "ThreadSanitizer has an operator new of its own";
#endif
    ASSERT_EQ(ncclProfiler_v4.init(&context_, &mask_, nullptr, 1, 1, 2, 0, nullptr), ncclSuccess);
    observation_.expect(send_, recv_);
  }
  void TearDown() override {
    if (context_ == nullptr) return;
    ASSERT_EQ(ncclProfiler_v4.finalize(context_), ncclSuccess);
  }

  ncclResult_t start(const char* algorithm) {
    EventV4 event{.type = kCollective, .rank = 0, .collective = {}};
    event.collective.send = send_.data();
    event.collective.recv = recv_.data();
    event.collective.algorithm = algorithm;
    void* handle = &event;
    const auto code = ncclProfiler_v4.start_event(context_, &handle, &event);
    EXPECT_EQ(handle, nullptr);
    return code;
  }

  // Too long for the room that a string has in itself.
  static constexpr const char* kLongName = "AN_ALGORITHM_WITH_A_NAME_THAT_NEEDS_MEMORY";
  const CallFacts lost_{.lost = true};

  std::array<std::byte, 8> send_{}, recv_{};
  int mask_ = 0;
  void* context_ = nullptr;
  Observation observation_{call_recorder(), 0};
};

TEST_F(WithoutMemory, AnEventIsLostAndTheCallGoesOn) {
  ncclResult_t code = ncclInternalError;
  {
    const NoMemory from_here;
    code = start(kLongName);
  }

  EXPECT_EQ(code, ncclSuccess);
  EXPECT_EQ(observation_.facts(), lost_);
}

TEST_F(WithoutMemory, ALostEventIsToldOfItsOwnCallOnly) {
  {
    const NoMemory from_here;
    (void)start(kLongName);
  }

  observation_.expect(send_, recv_);
  (void)start("RING");

  EXPECT_EQ(observation_.facts().algorithm, "RING");
}

TEST_F(WithoutMemory, ACommunicatorThatCannotBeFollowedIsRefusedAndTold) {
  int other_mask = 0;
  void* other = &other_mask;
  ncclResult_t code = ncclSuccess;
  {
    const NoMemory from_here;
    code = ncclProfiler_v4.init(&other, &other_mask, nullptr, 2, 1, 2, 0, nullptr);
  }

  EXPECT_EQ(code, ncclInternalError);
  EXPECT_EQ(other, nullptr);
  EXPECT_EQ(observation_.facts(), lost_);
  (void)start("RING");
  EXPECT_EQ(observation_.facts().algorithm, "RING");
}

}  // namespace
}  // namespace linerate::nccl::profiler
