// Rank 0 serves the store, and so knows which ranks have not come.
#include "launch/connect.h"

#include "base/error.h"
#include "base/wire.h"
#include "launch/net/address.h"
#include "launch/place.h"
#include "launch/solo_bootstrap.h"
#include "launch/store/store.h"
#include "launch/tree/tcp_bootstrap.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <utility>

namespace linerate {
namespace {

constexpr std::string_view kOneLauncher =
    "start all of them with one launcher, and each run at a port of its own.";

std::string address_key(int rank) { return fmt::format("address/{}", rank); }

SocketAddress master_of(const Identity& identity) {
  return {identity.master_host, identity.master_port};
}

std::unique_ptr<StoreServer> open_store(const Identity& identity) {
  auto listener = identity.listener_fd >= 0 ? Listener(FileDescriptor(identity.listener_fd))
                                            : listen_as_rank_0(master_of(identity));
  return std::make_unique<StoreServer>(std::move(listener), identity.token);
}

// While it lives, the waits of one step are told in these words.
class Told {
 public:
  Told(WaitingFor* to, std::function<std::string()> whom) : to_(to) {
    if (to_ != nullptr) to_->set(std::move(whom));
  }
  ~Told() {
    if (to_ != nullptr) to_->set({});
  }
  Told(const Told&) = delete;
  Told& operator=(const Told&) = delete;

 private:
  WaitingFor* to_;
};

void await_master(const Identity& identity, const Deadline& deadline, WaitingFor* waiting_for) {
  const Told told(waiting_for, [host = identity.master_host] {
    return fmt::format("the address of '{}', the host of rank 0", host);
  });
  try {
    await_name(identity.master_host, deadline);
  } catch (const Error& error) {
    constexpr std::string_view kWhere = "it is to be rank 0's (MASTER_ADDR, LINERATE_STORE)";
    if (error.exit_code() == ExitCode::lost)
      throw TimeoutError(fmt::format("initialisation timed out: {}; {}", error.what(), kWhere));
    throw Error(fmt::format("{}; {}", error.what(), kWhere), error.exit_code());
  }
}

// The ranks that rank 0 has not heard of, in words; empty when all have come.
std::string missing_ranks(const StoreServer& store, const Identity& identity) {
  constexpr int kMaxNamed = 8;
  std::string named;
  int count = 0;
  for (int process = 0; process < identity.nranks; ++process) {
    if (store.has(address_key(process))) continue;
    if (++count <= kMaxNamed)
      named += (named.empty() ? "" : ", ") + ranks_text(process, identity.ranks_per_process);
  }
  if (count > kMaxNamed) named += fmt::format(" and {} more", count - kMaxNamed);
  return named;
}

TreeMember member_of(const Identity& identity) {
  return {
      .rank = identity.rank,
      .nranks = identity.nranks,
      .name = fmt::format("{} ({}, pid {})", ranks_text(identity.rank, identity.ranks_per_process),
                          this_host().hostname, ::getpid()),
      .token = identity.token};
}

// Finds out what a launcher that was misunderstood leads to.
void announce(StoreClient& store, const Identity& identity, const SocketAddress& address) {
  if (!store.set("processes", std::to_string(identity.nranks)))
    throw Error(fmt::format("process {} was told that {} processes take part, others were told "
                            "another number: {}",
                            identity.rank, identity.nranks, kOneLauncher),
                ExitCode::usage);
  const Bytes packed = WireWriter().put(address).take();
  const std::string_view value(reinterpret_cast<const char*>(packed.data()), packed.size());
  if (!store.set(address_key(identity.rank), value))
    throw Error(fmt::format("two processes were told to be {}: {}",
                            ranks_text(identity.rank, identity.ranks_per_process), kOneLauncher),
                ExitCode::usage);
}

std::string host_reached_from(StoreClient& store, const Identity& identity,
                              WaitingFor* waiting_for) {
  const Told told(waiting_for, [at = text_of(master_of(identity))] {
    return fmt::format("rank 0, which is to listen at {}", at);
  });
  return store.local_host();
}

std::unique_ptr<Bootstrap> rendezvous(const Identity& identity, const Deadline& deadline,
                                      WaitingFor* waiting_for) {
  StoreClient store(master_of(identity), identity.token, deadline);
  auto listener = Listener::open({host_reached_from(store, identity, waiting_for), 0});
  announce(store, identity, listener.address());
  std::optional<SocketAddress> parent;
  if (identity.rank > 0) {
    const int rank = tree_parent(identity.rank);
    const auto packed =
        store.get(address_key(rank), ranks_text(rank, identity.ranks_per_process) + " to start");
    parent = read_whole<SocketAddress>(std::as_bytes(std::span(packed)));
  }
  store.leave();
  return tcp_bootstrap(member_of(identity), std::move(listener), parent, deadline);
}

// "rank 1, rank 2 of 6 did not come to the store at 10.0.0.1:29500"; empty when all have come.
std::string absence(const StoreServer& store, const Identity& identity) {
  const auto missing = missing_ranks(store, identity);
  if (missing.empty()) return {};
  const auto address = store.address();
  return fmt::format("{} of {} did not come to the store at {}{}", missing,
                     identity.nranks * identity.ranks_per_process, text_of(address),
                     is_loopback(address) ? ", which only this host can reach" : "");
}

// Ranks that have come may give up before rank 0 does: what is lost with them is but the echo of
// those that have not.
std::unique_ptr<Bootstrap> rendezvous_with_store(const Identity& identity, const Deadline& deadline,
                                                 WaitingFor* waiting_for) {
  const auto store = open_store(identity);
  const Told told(waiting_for, [&] {
    const auto missing = missing_ranks(*store, identity);
    return missing.empty() ? missing
                           : fmt::format("{} to come to {}", missing, text_of(store->address()));
  });
  try {
    return rendezvous(identity, deadline, nullptr);
  } catch (const TimeoutError&) {
    if (const auto absent = absence(*store, identity); !absent.empty())
      throw TimeoutError("initialisation timed out: " + absent);
    throw;
  } catch (const PeerFailure& failure) {
    if (const auto absent = absence(*store, identity); !absent.empty())
      throw PeerFailure(fmt::format("initialisation failed: {}; {}", absent, failure.what()));
    throw;
  }
}

}  // namespace

Listener listen_as_rank_0(const SocketAddress& master) {
  try {
    return Listener::open(master);
  } catch (const Error& error) {
    throw Error(error.what(), ExitCode::usage);
  }
}

std::unique_ptr<Bootstrap> connect_processes(const Identity& identity, const Deadline& deadline,
                                             WaitingFor* waiting_for) {
  assert(identity.launcher != Launcher::mpi);
  if (identity.nranks == 1) return solo_bootstrap();
  await_master(identity, deadline, waiting_for);
  if (identity.rank == 0) return rendezvous_with_store(identity, deadline, waiting_for);
  return rendezvous(identity, deadline, waiting_for);
}

}  // namespace linerate
