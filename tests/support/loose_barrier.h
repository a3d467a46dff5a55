// Sessions over a backend whose barrier may count as loose, and how often they name a common start.
#pragma once

#include "support/sessions.h"

#include <unistd.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate {

// Hands everything on but Capabilities::loose_barrier.
class LooseBackend final : public Backend {
 public:
  LooseBackend(std::unique_ptr<Backend> inner, bool loose)
      : inner_(std::move(inner)), loose_(loose) {}

  std::string_view name() const override { return inner_->name(); }
  std::string version() const override { return inner_->version(); }
  Capabilities capabilities() const override {
    auto capabilities = inner_->capabilities();
    capabilities.loose_barrier = loose_;
    return capabilities;
  }
  std::unique_ptr<Device> open_device(int local_index) override {
    return inner_->open_device(local_index);
  }
  std::vector<std::unique_ptr<Communicator>> connect(Bootstrap& members,
                                                     std::span<Device* const> local,
                                                     const ConnectOptions& options) override {
    return inner_->connect(members, local, options);
  }

 private:
  const std::unique_ptr<Backend> inner_;
  const bool loose_;
};

// What one member has taken part in.
struct Calls {
  int broadcasts = 0;
  int all_gathers = 0;
};

// Counts the calls of one member, which may seem to be alone on its node.
class CountingBootstrap final : public Bootstrap {
 public:
  CountingBootstrap(Bootstrap& inner, bool own_node) : inner_(inner), place_(inner.place()) {
    if (!own_node) return;
    place_.node = rank();
    place_.nnodes = nranks();
    place_.local_rank = 0;
    place_.local_nranks = 1;
  }

  const Calls& calls() const { return calls_; }

  int rank() const override { return inner_.rank(); }
  int nranks() const override { return inner_.nranks(); }
  const NodePlace& place() const override { return place_; }
  void barrier(const Deadline& deadline) override { inner_.barrier(deadline); }
  Bytes broadcast(std::span<const std::byte> mine, int root, const Deadline& deadline) override {
    ++calls_.broadcasts;
    return inner_.broadcast(mine, root, deadline);
  }
  std::vector<Bytes> gather(std::span<const std::byte> mine, const Deadline& deadline) override {
    return inner_.gather(mine, deadline);
  }
  std::vector<Bytes> all_gather(std::span<const std::byte> mine,
                                const Deadline& deadline) override {
    ++calls_.all_gathers;
    return inner_.all_gather(mine, deadline);
  }
  Bytes exchange(int peer, std::span<const std::byte> mine, const Deadline& deadline) override {
    return inner_.exchange(peer, mine, deadline);
  }
  std::unique_ptr<Bootstrap> split(int color, int key, const Deadline& deadline) override {
    return inner_.split(color, key, deadline);
  }
  [[noreturn]] void abort(ExitCode code) noexcept override { ::_exit(static_cast<int>(code)); }

 private:
  Bootstrap& inner_;
  NodePlace place_;
  Calls calls_;
};

// One rank's: a microsecond with each look, so that those of all ranks show nearly the same.
class TickingClock final : public Clock {
 public:
  std::int64_t now_ns() const override { return now_ns_ += 1'000; }
  void advance(std::int64_t by_ns) { now_ns_ += by_ns; }

 private:
  mutable std::int64_t now_ns_ = 0;
};

struct LooseJob {
  BenchConfig config{};
  bool loose = true;       // the barrier
  bool own_nodes = false;  // each rank has one
};

struct CountedSession {
  Session& session;
  const Calls& calls;  // of its bootstrap
  TickingClock& clock;
};

// As run_sessions(), with two ranks.
inline void run_counted_sessions(const LooseJob& job,
                                 const std::function<void(const CountedSession&)>& body) {
  const SteadyClock clock;
  auto config = job.config;
  config.nthreads = 2;
  LooseBackend backend(make_fake_backend({}), job.loose);
  const auto process = solo_bootstrap();
  const auto watch = Watch::start(*process, {.nthreads = 2, .deadline = {}});
  run_rank_threads(*process, 2, [&](Bootstrap& member) {
    TickingClock ticking;
    CountingBootstrap counting(member, job.own_nodes);
    RankContext rank({.bootstrap = counting,
                      .backend = backend,
                      .watch = *watch,
                      .config = config,
                      .clock = ticking,
                      .start_clock = clock});
    Session session(rank, config);
    body({session, counting.calls(), ticking});
    rank.close();
  });
  watch->leave();
}

}  // namespace linerate
