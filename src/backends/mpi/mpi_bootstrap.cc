#include "backends/mpi/mpi_bootstrap.h"

#include "base/clock.h"
#include "base/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

namespace linerate::mpi {
namespace {

// How a rank passes the time between two looks: busy at first, then it leaves the core to others,
// then it sleeps. For out-of-band exchange only.
class Pauses {
 public:
  // Whether it slept.
  bool pause() {
    constexpr int kBusyLooks = 200;      // tens of microseconds: a ping-pong stays undisturbed
    constexpr double kYieldingS = 0.01;  // ranks that share a core take turns
    constexpr timespec kSleep{.tv_sec = 0, .tv_nsec = 100'000};
    if (nlooks_ < kBusyLooks) {
      if (++nlooks_ == kBusyLooks) yielding_ = Deadline::after(clock_, kYieldingS);
      return false;
    }
    if (!yielding_.passed()) {  // by time: on a busy core each yield takes milliseconds
      sched_yield();
      return false;
    }
    nanosleep(&kSleep, nullptr);
    return true;
  }

 private:
  SteadyClock clock_;
  Deadline yielding_;
  int nlooks_ = 0;
};

constexpr int kFirstTag = 1;
constexpr int kRestTag = 2;
constexpr int kCallTag = 3;
constexpr int kAnswerTag = 4;

void send_empty(int peer, int tag, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_TRY(MPI_Isend(nullptr, 0, MPI_BYTE, peer, tag, comm, &request));
  MPI_TRY(MPI_Request_free(&request));
}

// Takes empty messages of `tag` that have come, and notes their senders.
void take_empty(int tag, MPI_Comm comm, std::set<int>& senders) {
  for (int found = 1; found != 0;) {
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    MPI_TRY(MPI_Improbe(MPI_ANY_SOURCE, tag, comm, &found, &message, &status));
    if (found == 0) return;
    MPI_TRY(MPI_Mrecv(nullptr, 0, MPI_BYTE, &message, MPI_STATUS_IGNORE));
    senders.insert(status.MPI_SOURCE);
  }
}

std::vector<int> world_ranks(MPI_Comm comm, const std::vector<int>& ranks) {
  MPI_Group here = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
  MPI_TRY(MPI_Comm_group(comm, &here));
  MPI_TRY(MPI_Comm_group(MPI_COMM_WORLD, &world));
  std::vector<int> in_world(ranks.size());
  MPI_TRY(MPI_Group_translate_ranks(here, static_cast<int>(ranks.size()), ranks.data(), world,
                                    in_world.data()));
  MPI_TRY(MPI_Group_free(&here));
  MPI_TRY(MPI_Group_free(&world));
  return in_world;
}

// Piece number `round` of a message of `length` bytes in pieces of `piece`.
struct Piece {
  std::size_t offset = 0;
  std::size_t bytes = 0;
};
Piece piece_of(std::size_t length, std::size_t round, std::size_t piece) {
  const std::size_t offset = std::min(length, round * piece);
  return {offset, std::min(piece, length - offset)};
}

std::size_t rounds_of(std::size_t length, std::size_t piece) {
  return (length + piece - 1) / piece;
}

void append(Bytes& to, std::span<const std::byte> from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

MpiBootstrap::MpiBootstrap(OwnedComm comm, Job& job, const Deadline& deadline)
    : comm_(std::move(comm)), job_(job) {
  MPI_TRY(MPI_Comm_rank(comm_.get(), &rank_));
  MPI_TRY(MPI_Comm_size(comm_.get(), &nranks_));
  place_ = find_place(deadline);
}

NodePlace MpiBootstrap::find_place(const Deadline& deadline) {
  const auto mine = std::as_bytes(std::span(job_.here.identity));
  std::map<std::string, int> number_of;
  std::vector<int> hosts;
  for (const auto& bytes : all_gather(mine, deadline)) {
    const std::string identity(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const auto next = static_cast<int>(number_of.size());
    hosts.push_back(number_of.try_emplace(identity, next).first->second);
  }
  NodePlace place = job_.place_within(hosts, rank_);
  place.hostname = job_.here.hostname;
  place.identity = job_.here.identity;
  return place;
}

// Waits with a deadline, which MPI does not know: true when all requests are done, false when the
// deadline passed first: they are then still active.
bool MpiBootstrap::wait_all(std::span<MPI_Request> requests, const Deadline& deadline) {
  Pauses pauses;
  for (;;) {
    int done = 0;
    MPI_TRY(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done,
                        MPI_STATUSES_IGNORE));
    if (done != 0) return true;
    if (deadline.passed()) return false;
    if (pauses.pause()) answer_calls();
  }
}

void MpiBootstrap::give_up(std::unique_ptr<Flight>& flight, std::string_view call) {
  abandoned_.push_back(std::move(flight));
  job_.timed_out = true;
  throw TimeoutError(fmt::format("MPI rank {} waited in vain for the others in {}{}.",
                                 world_ranks(comm_.get(), {rank_}).front(), call,
                                 text_of_silent()));
}

// Whoever calls waits too.
void MpiBootstrap::answer_calls() {
  std::set<int> callers;
  take_empty(kCallTag, comm_.get(), callers);
  for (const int caller : callers) send_empty(caller, kAnswerTag, comm_.get());
  waiting_.merge(callers);
}

// Ranks that wait answer, and call others themselves when they give up: the silent ones are at work
// elsewhere, or stopped. Empty where that says nothing: all are silent, or the library fails.
std::string MpiBootstrap::text_of_silent() {
  constexpr double kAnswerS = 1.0;  // a busy machine takes its time
  constexpr int kMaxCalled = 512;
  constexpr std::size_t kMaxNamed = 8;
  if (nranks_ > kMaxCalled) return "";
  std::vector<int> silent;
  try {
    silent = silent_ranks(kAnswerS);
  } catch (const Error&) {
    return "";
  }
  if (silent.empty() || (nranks_ > 2 && std::ssize(silent) == nranks_ - 1)) return "";
  const std::size_t named = std::min(silent.size(), kMaxNamed);
  return fmt::format(
      ": {} {}{} did not answer", silent.size() == 1 ? "rank" : "ranks",
      fmt::join(std::span(silent).first(named), ", "),
      named < silent.size() ? fmt::format(" and {} more", silent.size() - named) : "");
}

// Numbers of MPI_COMM_WORLD.
std::vector<int> MpiBootstrap::silent_ranks(double patience_s) {
  constexpr timespec kSleep{.tv_sec = 0, .tv_nsec = 1'000'000};
  const SteadyClock clock;
  const auto end = Deadline::after(clock, patience_s);
  const auto n = static_cast<std::size_t>(nranks_);
  for (int peer = 0; peer < nranks_; ++peer)
    if (peer != rank_) send_empty(peer, kCallTag, comm_.get());
  for (waiting_.insert(rank_); waiting_.size() < n && !end.passed(); nanosleep(&kSleep, nullptr)) {
    answer_calls();
    take_empty(kAnswerTag, comm_.get(), waiting_);
  }
  std::vector<int> silent;
  for (int peer = 0; peer < nranks_; ++peer)
    if (!waiting_.contains(peer)) silent.push_back(peer);
  return world_ranks(comm_.get(), silent);
}

void MpiBootstrap::land(std::unique_ptr<Flight>& flight, const Deadline& deadline,
                        std::string_view call) {
  if (!wait_all(flight->requests, deadline)) give_up(flight, call);
  flight->requests.clear();
}

void MpiBootstrap::barrier(const Deadline& deadline) {
  auto flight = std::make_unique<Flight>();
  MPI_TRY(MPI_Ibarrier(comm_.get(), &flight->requests.emplace_back()));
  land(flight, deadline, "barrier");
}

Bytes MpiBootstrap::broadcast(std::span<const std::byte> mine, int root, const Deadline& deadline) {
  auto flight = std::make_unique<Flight>();
  std::uint64_t length = rank_ == root ? mine.size() : 0;
  flight->recv.resize(sizeof length);
  std::memcpy(flight->recv.data(), &length, sizeof length);
  MPI_TRY(MPI_Ibcast(flight->recv.data(), sizeof length, MPI_BYTE, root, comm_.get(),
                     &flight->requests.emplace_back()));
  land(flight, deadline, "broadcast");
  std::memcpy(&length, flight->recv.data(), sizeof length);

  if (rank_ == root) flight->recv.assign(mine.begin(), mine.end());
  flight->recv.resize(length);
  for (std::size_t round = 0; round < rounds_of(length, job_.piece_bytes); ++round) {
    const auto piece = piece_of(length, round, job_.piece_bytes);
    MPI_TRY(MPI_Ibcast(flight->recv.data() + piece.offset, static_cast<int>(piece.bytes), MPI_BYTE,
                       root, comm_.get(), &flight->requests.emplace_back()));
    land(flight, deadline, "broadcast");
  }
  return std::move(flight->recv);
}

std::vector<std::uint64_t> MpiBootstrap::all_lengths(std::uint64_t mine, const Deadline& deadline,
                                                     std::string_view call) {
  auto flight = std::make_unique<Flight>();
  const auto n = static_cast<std::size_t>(nranks_);
  flight->send.resize(sizeof mine);
  flight->recv.resize(n * sizeof mine);
  std::memcpy(flight->send.data(), &mine, sizeof mine);
  MPI_TRY(MPI_Iallgather(flight->send.data(), 1, MPI_UINT64_T, flight->recv.data(), 1, MPI_UINT64_T,
                         comm_.get(), &flight->requests.emplace_back()));
  land(flight, deadline, call);
  std::vector<std::uint64_t> lengths(n);
  std::memcpy(lengths.data(), flight->recv.data(), flight->recv.size());
  return lengths;
}

std::vector<Bytes> MpiBootstrap::gather(std::span<const std::byte> mine, const Deadline& deadline) {
  return collect(mine, Reach::rank0, deadline);
}

std::vector<Bytes> MpiBootstrap::all_gather(std::span<const std::byte> mine,
                                            const Deadline& deadline) {
  return collect(mine, Reach::all, deadline);
}

// All pieces of one round together stay below piece_bytes, because their offsets are ints.
std::vector<Bytes> MpiBootstrap::collect(std::span<const std::byte> mine, Reach reach,
                                         const Deadline& deadline) {
  const std::string_view call = reach == Reach::all ? "all_gather" : "gather";
  const bool receives = reach == Reach::all || rank_ == 0;
  const auto n = static_cast<std::size_t>(nranks_);
  const auto lengths = all_lengths(mine.size(), deadline, call);
  const std::size_t longest = std::ranges::max(lengths);
  const std::size_t limit = std::max<std::size_t>(1, job_.piece_bytes / n);
  std::vector<Bytes> all(receives ? n : 0);
  auto flight = std::make_unique<Flight>();
  flight->send.assign(mine.begin(), mine.end());
  flight->counts.resize(n);
  flight->offsets.resize(n);
  for (std::size_t round = 0; round < rounds_of(longest, limit); ++round) {
    int end = 0;
    for (std::size_t r = 0; r < n; ++r) {
      flight->offsets[r] = end;
      flight->counts[r] = static_cast<int>(piece_of(lengths[r], round, limit).bytes);
      end += flight->counts[r];
    }
    const auto piece = piece_of(mine.size(), round, limit);
    const int bytes = static_cast<int>(piece.bytes);
    if (receives) flight->recv.resize(static_cast<std::size_t>(end));
    auto* const request = &flight->requests.emplace_back();
    if (reach == Reach::all) {
      MPI_TRY(MPI_Iallgatherv(flight->send.data() + piece.offset, bytes, MPI_BYTE,
                              flight->recv.data(), flight->counts.data(), flight->offsets.data(),
                              MPI_BYTE, comm_.get(), request));
    } else {
      MPI_TRY(MPI_Igatherv(flight->send.data() + piece.offset, bytes, MPI_BYTE, flight->recv.data(),
                           flight->counts.data(), flight->offsets.data(), MPI_BYTE, 0, comm_.get(),
                           request));
    }
    land(flight, deadline, call);
    for (std::size_t r = 0; r < all.size(); ++r)
      append(all[r], std::span(flight->recv)
                         .subspan(static_cast<std::size_t>(flight->offsets[r]),
                                  static_cast<std::size_t>(flight->counts[r])));
  }
  return all;
}

// The peer's length and the first of its bytes, in one message: a ping-pong is one round trip.
Bytes MpiBootstrap::first_piece(std::unique_ptr<Flight>& flight, int peer,
                                const Deadline& deadline) {
  Pauses pauses;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  for (int found = 0; found == 0;) {
    MPI_TRY(MPI_Improbe(peer, kFirstTag, comm_.get(), &found, &message, &status));
    if (found != 0) break;
    if (deadline.passed()) give_up(flight, "exchange");
    if (pauses.pause()) answer_calls();
  }
  int bytes = 0;
  MPI_TRY(MPI_Get_count(&status, MPI_BYTE, &bytes));
  flight->recv.resize(static_cast<std::size_t>(bytes));
  MPI_TRY(
      MPI_Imrecv(flight->recv.data(), bytes, MPI_BYTE, &message, &flight->requests.emplace_back()));
  land(flight, deadline, "exchange");
  return std::move(flight->recv);
}

Bytes MpiBootstrap::exchange(int peer, std::span<const std::byte> mine, const Deadline& deadline) {
  const std::uint64_t length = mine.size();
  const auto head = piece_of(length, 0, job_.piece_bytes);
  auto flight = std::make_unique<Flight>();
  append(flight->send, std::as_bytes(std::span(&length, 1)));
  append(flight->send, mine);
  const std::byte* const body = flight->send.data() + sizeof length;
  MPI_TRY(MPI_Isend(flight->send.data(), static_cast<int>(sizeof length + head.bytes), MPI_BYTE,
                    peer, kFirstTag, comm_.get(), &flight->requests.emplace_back()));
  Bytes first = first_piece(flight, peer, deadline);
  std::uint64_t expected = 0;
  if (first.size() < sizeof expected) throw Error("MPI: a message between ranks ends early.");
  std::memcpy(&expected, first.data(), sizeof expected);
  Bytes theirs(first.begin() + sizeof expected, first.end());

  const auto rounds =
      std::max(rounds_of(length, job_.piece_bytes), rounds_of(expected, job_.piece_bytes));
  for (std::size_t round = 1; round < rounds; ++round) {
    const auto out = piece_of(length, round, job_.piece_bytes);
    const auto in = piece_of(expected, round, job_.piece_bytes);
    flight->recv.resize(in.bytes);
    if (in.bytes > 0)
      MPI_TRY(MPI_Irecv(flight->recv.data(), static_cast<int>(in.bytes), MPI_BYTE, peer, kRestTag,
                        comm_.get(), &flight->requests.emplace_back()));
    if (out.bytes > 0)
      MPI_TRY(MPI_Isend(body + out.offset, static_cast<int>(out.bytes), MPI_BYTE, peer, kRestTag,
                        comm_.get(), &flight->requests.emplace_back()));
    land(flight, deadline, "exchange");
    append(theirs, flight->recv);
  }
  return theirs;
}

std::unique_ptr<Bootstrap> MpiBootstrap::split(int color, int key, const Deadline& deadline) {
  barrier(deadline);  // MPI's split knows no deadline: it begins when all are here
  auto part = mpi::split(comm_.get(), color, key);
  if (!part) return nullptr;
  return std::make_unique<MpiBootstrap>(std::move(part), job_, deadline);
}

void MpiBootstrap::abort(ExitCode code) noexcept {
  (void)MPI_Abort(MPI_COMM_WORLD, static_cast<int>(code));
  ::_exit(static_cast<int>(code));
}

}  // namespace linerate::mpi
