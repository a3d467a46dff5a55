// Each record is a sequence lock: readers never stop the writer, which may be about to be timed.
#include "launch/watch/page.h"

#include "base/error.h"
#include "base/unix_socket.h"

#include <fmt/format.h>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cassert>
#include <cstring>

namespace linerate {
namespace {

constexpr double kMaxS = 1e9;  // a timeout that fits nanoseconds

// A stage in plain words; longer text is cut.
struct StageRecord {
  std::int64_t entered_ns;
  std::uint64_t bytes;
  std::int64_t limit_ns;
  std::uint64_t calls;
  char what[32];
  char collective[24];
  char placement[16];
};
constexpr std::size_t kWords = sizeof(StageRecord) / sizeof(std::uint64_t);
using Words = std::array<std::uint64_t, kWords>;

template <std::size_t kSpace>
void store(char (&to)[kSpace], std::string_view text) {
  text.copy(to, kSpace - 1);
}

template <std::size_t kSpace>
std::string load(const char (&from)[kSpace]) {
  return {from, strnlen(from, kSpace)};
}

void add(std::string& text, std::string_view part) {
  if (part.empty()) return;
  if (!text.empty()) text += ", ";
  text += part;
}

}  // namespace

std::string stage_text(const ThreadStatus& thread) {
  if (thread.counter == 0) return "the time before its first stage";
  std::string text;
  add(text, thread.collective);
  if (!thread.collective.empty()) add(text, fmt::format("{} bytes", thread.bytes));
  add(text, thread.placement);
  add(text, thread.what);
  return text;
}

// Two cache lines of its own, so that threads do not slow each other. A slot's first record is its
// head: there, `sequence` is the presence.
struct alignas(128) ControlPage::ThreadRecord {
  std::atomic<std::uint64_t> sequence;  // odd while the thread writes; counter = sequence / 2
  std::array<std::atomic<std::uint64_t>, kWords> words;  // a StageRecord
};

ControlPage ControlPage::create(Shape shape) {
  FileDescriptor memory =
      above_stdio(check_system(memfd_create("linerate-watch", MFD_CLOEXEC), "memfd_create"));
  const auto bytes = shape.nslots * (shape.nthreads + 1) * sizeof(ThreadRecord);
  check_system(ftruncate(memory.get(), static_cast<off_t>(bytes)), "ftruncate");
  return map(std::move(memory), shape);
}

ControlPage ControlPage::map(FileDescriptor memory, Shape shape) {
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
  ControlPage page;
  page.shape_ = shape;
  const auto bytes = shape.nslots * (shape.nthreads + 1) * sizeof(ThreadRecord);
  // Touching memory behind the end of a short file would end the process.
  if (lseek(memory.get(), 0, SEEK_END) < static_cast<off_t>(bytes))
    throw Error("The watch's shared memory is shorter than the node's processes need.");
  void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
  if (base == MAP_FAILED) throw SystemError(errno, "mmap");
  page.base_ = base;
  page.memory_ = std::move(memory);
  return page;
}

// Its shape is not known: a head is told from a thread's record by its time.
std::vector<ThreadStatus> ControlPage::threads_in(FileDescriptor memory) {
  const auto bytes = lseek(memory.get(), 0, SEEK_END);
  if (bytes < static_cast<off_t>(2 * sizeof(ThreadRecord))) return {};
  const auto nrecords = static_cast<std::size_t>(bytes) / sizeof(ThreadRecord);
  const auto page = map(std::move(memory), {.nslots = 1, .nthreads = nrecords - 1});
  std::vector<ThreadStatus> threads;
  for (std::size_t i = 0; i < nrecords - 1; ++i)
    if (auto thread = page.thread(0, i); thread.entered_ns != 0) threads.push_back(thread);
  return threads;
}

ControlPage::ControlPage(ControlPage&& other) noexcept
    : memory_(std::move(other.memory_)),
      shape_(other.shape_),
      base_(std::exchange(other.base_, nullptr)) {}

ControlPage& ControlPage::operator=(ControlPage&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(shape_, other.shape_);
  std::swap(base_, other.base_);
  return *this;
}

ControlPage::~ControlPage() {
  if (base_ != nullptr) munmap(base_, shape_.nslots * (shape_.nthreads + 1) * sizeof(ThreadRecord));
}

// The pages are zero at first, which is what the records begin with.
ControlPage::ThreadRecord& ControlPage::head(std::size_t slot) const {
  assert(base_ != nullptr && slot < shape_.nslots);
  return static_cast<ThreadRecord*>(base_)[slot * (shape_.nthreads + 1)];
}

ControlPage::ThreadRecord& ControlPage::record(std::size_t slot, std::size_t thread) const {
  assert(thread < shape_.nthreads);
  return (&head(slot))[1 + thread];
}

void ControlPage::enter(std::size_t slot, std::size_t thread, const Stage& stage) {
  StageRecord stored{.entered_ns = SteadyClock().now_ns(),
                     .bytes = stage.bytes,
                     .limit_ns = static_cast<std::int64_t>(std::min(stage.timeout_s, kMaxS) * 1e9),
                     .calls = stage.calls,
                     .what = {},
                     .collective = {},
                     .placement = {}};
  store(stored.what, stage.what);
  store(stored.collective, stage.collective);
  store(stored.placement, stage.placement);
  const auto words = std::bit_cast<Words>(stored);
  auto& to = record(slot, thread);
  // A reader that sees a word of this stage (release, acquire) also sees the odd sequence before
  // it.
  const auto sequence = to.sequence.load(std::memory_order_relaxed);
  to.sequence.store(sequence + 1, std::memory_order_relaxed);
  for (std::size_t i = 0; i < kWords; ++i) to.words[i].store(words[i], std::memory_order_release);
  to.sequence.store(sequence + 2, std::memory_order_release);
}

ThreadStatus ControlPage::thread(std::size_t slot, std::size_t thread) const {
  constexpr int kMaxTries = 1000;  // then its writer is dead
  const auto& from = record(slot, thread);
  for (int tries = 0; tries < kMaxTries; ++tries) {
    const auto sequence = from.sequence.load(std::memory_order_acquire);
    if (sequence % 2 != 0) continue;
    Words words;
    for (std::size_t i = 0; i < kWords; ++i)
      words[i] = from.words[i].load(std::memory_order_acquire);
    if (from.sequence.load(std::memory_order_relaxed) != sequence) continue;
    const auto stored = std::bit_cast<StageRecord>(words);
    return {.counter = sequence / 2,
            .entered_ns = stored.entered_ns,
            .bytes = stored.bytes,
            .limit_ns = stored.limit_ns,
            .calls = stored.calls,
            .what = load(stored.what),
            .collective = load(stored.collective),
            .placement = load(stored.placement)};
  }
  return {};
}

void ControlPage::set_presence(std::size_t slot, Presence presence) {
  head(slot).sequence.store(static_cast<std::uint64_t>(presence), std::memory_order_release);
}

Presence ControlPage::presence(std::size_t slot) const {
  return static_cast<Presence>(head(slot).sequence.load(std::memory_order_acquire));
}

}  // namespace linerate
