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
#include <span>
#include <string>
#include <utility>

namespace linerate::mpi {
namespace {

// How a rank passes the time between two looks: busy at first, then it leaves the core to others,
// then it sleeps. For out-of-band exchange only.
class Pauses {
 public:
  void pause() {
    constexpr std::int64_t kBusyLooks = 200;  // tens of microseconds: a ping-pong stays undisturbed
    constexpr std::int64_t kYields =
        20'000;  // some milliseconds: ranks that share a core take turns
    constexpr timespec kSleep{.tv_sec = 0, .tv_nsec = 100'000};
    if (++nlooks_ <= kBusyLooks) return;
    if (nlooks_ <= kBusyLooks + kYields) {
      sched_yield();
    } else {
      nanosleep(&kSleep, nullptr);
    }
  }

 private:
  std::int64_t nlooks_ = 0;
};

// Waits with a deadline, which MPI does not know: true when all requests are done, false when the
// deadline passed first: they are then still active.
bool wait_all(std::span<MPI_Request> requests, const Deadline& deadline) {
  Pauses pauses;
  for (;;) {
    int done = 0;
    MPI_TRY(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done,
                        MPI_STATUSES_IGNORE));
    if (done != 0) return true;
    if (deadline.passed()) return false;
    pauses.pause();
  }
}

constexpr int kFirstTag = 1;
constexpr int kRestTag = 2;
constexpr int kRollCallTag = 3;

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

void MpiBootstrap::give_up(std::unique_ptr<Flight>& flight, std::string_view call) {
  abandoned_.push_back(std::move(flight));
  job_.timed_out = true;
  const auto silent = silent_ranks();
  const bool named = !silent.empty() && (nranks_ == 2 || std::ssize(silent) < nranks_ - 1);
  throw TimeoutError(fmt::format(
      "Rank {} of {} waited in vain for the others in {} (over MPI){}.", rank_, nranks_, call,
      named ? fmt::format(": rank{} {} did not answer within a second",
                          silent.size() == 1 ? "" : "s", fmt::join(silent, ", "))
            : ""));
}

// Ranks that wait in vain call each other, so that the silent ones are those that were waited for.
std::vector<int> MpiBootstrap::silent_ranks() {
  constexpr double kAnswerS = 1;
  const SteadyClock clock;
  const auto n = static_cast<std::size_t>(nranks_);
  auto& calls = *abandoned_.emplace_back(std::make_unique<Flight>());
  calls.send.resize(1);
  calls.recv.resize(n);
  calls.requests.assign(2 * n, MPI_REQUEST_NULL);
  const auto answers = std::span(calls.requests).first(n);
  for (std::size_t r = 0; r < n; ++r) {
    const int peer = static_cast<int>(r);
    if (peer == rank_) continue;
    MPI_TRY(MPI_Irecv(&calls.recv[r], 1, MPI_BYTE, peer, kRollCallTag, comm_.get(), &answers[r]));
    MPI_TRY(MPI_Isend(calls.send.data(), 1, MPI_BYTE, peer, kRollCallTag, comm_.get(),
                      &calls.requests[n + r]));
  }
  (void)wait_all(answers, Deadline::after(clock, kAnswerS));
  std::vector<int> silent;
  for (std::size_t r = 0; r < n; ++r) {
    int done = 0;
    MPI_TRY(MPI_Test(&answers[r], &done, MPI_STATUS_IGNORE));
    if (done == 0) silent.push_back(static_cast<int>(r));
  }
  return silent;
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
  for (int found = 0; found == 0; pauses.pause()) {
    MPI_TRY(MPI_Improbe(peer, kFirstTag, comm_.get(), &found, &message, &status));
    if (found != 0) break;
    if (deadline.passed()) give_up(flight, "exchange");
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
