// One store for each meeting: its keys are set once.
#include "launch/rendezvous.h"

#include "base/error.h"
#include "base/wire.h"
#include "launch/connect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fcntl.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>

namespace linerate {
namespace {

constexpr double kFarewellS = 5;  // for all to read what was agreed on
constexpr auto kBetweenLooks = std::chrono::milliseconds(20);

std::string coming_key(int process) { return fmt::format("come/{}", process); }
std::string farewell_key(int process) { return fmt::format("read/{}", process); }
constexpr std::string_view kGenerationKey = "generation", kMeetingKey = "meeting";
constexpr std::string_view kFirst = "rank 0, which says who takes part";

template <typename Message>
std::string packed(const Message& message) {
  const auto bytes = WireWriter().put(message).take();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <typename Message>
Message unpacked(const std::string& text) {
  return read_whole<Message>(std::as_bytes(std::span(text)));
}

// Waits until `done`, or until the deadline, and yields whether it was.
template <typename Done>
bool wait_until(Done done, const Deadline& deadline) {
  while (!done()) {
    if (deadline.passed()) return false;
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return true;
}

int index_in(const std::vector<int>& ascending, int value) {
  return static_cast<int>(std::ranges::lower_bound(ascending, value) - ascending.begin());
}

}  // namespace

Rendezvous::Rendezvous(const Identity& started_as)
    : started_as_(started_as), master_{started_as.master_host, started_as.master_port} {
  assert(started_as.nranks > 0 && started_as.nranks <= kMaxProcesses);
  if (started_as.rank == 0) store_ = listen_as_rank_0(master_);
}

std::vector<int> Rendezvous::come(const StoreServer& store) const {
  std::vector<int> here;
  for (int process = 0; process < started_as_.nranks; ++process)
    if (store.has(coming_key(process))) here.push_back(process);
  return here;
}

void Rendezvous::await_all(const StoreServer& store, const Deadline& deadline) const {
  const auto all = [&] { return static_cast<int>(come(store).size()) == started_as_.nranks; };
  if (wait_until(all, deadline)) return;
  std::vector<int> everybody(static_cast<std::size_t>(started_as_.nranks)), missing;
  std::ranges::generate(everybody, [next = 0]() mutable { return next++; });
  std::ranges::set_difference(everybody, come(store), std::back_inserter(missing));
  throw TimeoutError(fmt::format("initialisation timed out: of {} ranks {} did not come to {}",
                                 started_as_.nranks, fmt::join(missing, ", "),
                                 text_of(store.address())));
}

void Rendezvous::await_those_left(const StoreServer& store, const Coming& mine) const {
  std::vector<int> expected;
  for (const int process : last_->processes)
    if (std::ranges::count(mine.lost, index_in(last_->processes, process)) == 0)
      expected.push_back(process);
  const auto have_come = [&](const std::vector<int>& these) {
    return [&] { return std::ranges::includes(come(store), these); };
  };
  if (wait_until(have_come(expected), Deadline::after(clock_, kLastCallS)))
    (void)wait_until(have_come(last_->processes), Deadline::after(clock_, kMomentS));
}

// By process 0, of those that are here.
Meeting Rendezvous::agree(StoreClient& client, const std::vector<int>& here) {
  Meeting meeting{.processes = here};
  if (last_) {
    meeting.generation = last_->generation + 1;
    meeting.nranks_before = static_cast<int>(last_->processes.size());
    meeting.halvings = last_->halvings;
  }
  std::vector<int> died;
  for (const int process : here) {
    const auto coming = unpacked<Coming>(client.get(coming_key(process), "what was set"));
    if (process == here.front()) meeting.master = coming.listens_at;
    meeting.out_of_memory |= coming.out_of_memory;
    meeting.steps = std::max(meeting.steps, coming.steps);
    if (coming.lost_its_own) died.push_back(process);
  }
  if (meeting.out_of_memory) ++meeting.halvings;
  if (last_ && !meeting.out_of_memory)
    for (const int process : last_->processes)
      if (std::ranges::count(died, process) > 0 || !std::ranges::binary_search(here, process))
        meeting.lost.push_back(index_in(last_->processes, process));
  client.set(kMeetingKey, packed(meeting));
  return meeting;
}

Meeting Rendezvous::keep(Coming mine, const Deadline& deadline) {
  FileDescriptor served(check_system(::fcntl(store_.fd(), F_DUPFD_CLOEXEC, 0), "fcntl"));
  const StoreServer store(Listener(std::move(served)), started_as_.token);
  StoreClient client(master_, started_as_.token, Deadline::never(), kGoneS);
  client.set(kGenerationKey, std::to_string(last_ ? last_->generation + 1 : 0));
  own_ = Listener::open({client.local_host(), 0});
  mine.listens_at = own_.address();
  client.set(coming_key(0), packed(mine));
  last_ ? await_those_left(store, mine) : await_all(store, deadline);
  auto meeting = agree(client, come(store));
  const auto all_have_read = [&] {
    return std::ranges::all_of(meeting.processes, [&](int process) {
      return process == 0 || store.has(farewell_key(process));
    });
  };
  (void)wait_until(all_have_read, Deadline::after(clock_, kFarewellS));
  return meeting;
}

// Nothing where the store is still that of the last meeting, or where this process came too late.
std::optional<Meeting> Rendezvous::take_part(Coming mine) {
  StoreClient client(master_, started_as_.token, Deadline::never(), kGoneS);
  const auto generation = client.get(kGenerationKey, kFirst);
  if (last_ && generation == std::to_string(last_->generation)) return std::nullopt;
  own_ = Listener::open({client.local_host(), 0});
  mine.listens_at = own_.address();
  if (!client.set(coming_key(started_as_.rank), packed(mine)))
    throw Error(fmt::format("two processes were told to be rank {}", started_as_.rank),
                ExitCode::usage);
  auto meeting = unpacked<Meeting>(client.get(kMeetingKey, kFirst));
  client.set(farewell_key(started_as_.rank), "yes");
  if (!std::ranges::binary_search(meeting.processes, started_as_.rank)) return std::nullopt;
  return meeting;
}

Meeting Rendezvous::meet(const Coming& mine, double timeout_s) {
  const auto deadline = Deadline::after(clock_, timeout_s);
  if (started_as_.rank == 0) return *(last_ = keep(mine, deadline));
  try {
    (void)connect_to(master_, deadline);
  } catch (const TimeoutError& error) {
    throw TimeoutError(fmt::format("{}, does not answer: {}", kFirst, error.what()));
  }
  for (;;) {
    if (auto meeting = take_part(mine)) return *(last_ = *std::move(meeting));
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

int Rendezvous::rank_in(const Meeting& meeting) const {
  return index_in(meeting.processes, started_as_.rank);
}

Identity Rendezvous::identity_in(const Meeting& meeting) {
  auto identity = started_as_;
  identity.rank = rank_in(meeting);
  identity.nranks = static_cast<int>(meeting.processes.size());
  identity.master_host = meeting.master.host;
  identity.master_port = meeting.master.port;
  auto listens = std::move(own_).take();
  if (identity.rank == 0) identity.listener_fd = listens.release();
  return identity;
}

}  // namespace linerate
