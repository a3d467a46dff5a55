// See fake_world.h.
#include "support/gpu/fake_world.h"

#include "devices/cpu/reduce.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <tuple>

namespace linerate::nccl::fake {

// A collective is done by the rank that comes last, a message by the later of its two ranks.
class World {
 public:
  explicit World(int nranks) : nranks_(nranks), posted_(static_cast<std::size_t>(nranks)) {}

  int nranks() const { return nranks_; }
  void post(int rank, Call& call);
  bool is_done(std::uint64_t ticket);
  void want_part(int rank, int color, int key);
  std::shared_ptr<World> part_of(int rank, int color, int key, int& part_rank);

 private:
  struct Pending {
    std::vector<Call> calls;
    int here = 0;
  };

  void post_message(int rank, Call& call);
  void post_collective(int rank, Call& call);
  void finish(const std::vector<Call>& calls);
  void reduce(const std::vector<Call>& calls);
  void move(const std::vector<Call>& calls);

  const int nranks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t next_ticket_ = 1;
  std::map<std::uint64_t, bool> done_;
  std::vector<std::uint64_t> posted_;  // collectives of each rank
  std::map<std::uint64_t, Pending> pending_;
  std::map<std::pair<int, int>, std::deque<Call>> sends_, recvs_;
  std::map<std::uint64_t, std::vector<std::tuple<int, int, int>>> splits_;  // colour, key, rank
  std::vector<std::uint64_t> nsplits_ = std::vector<std::uint64_t>(posted_.size());
  std::map<std::pair<std::uint64_t, int>, std::shared_ptr<World>> parts_;
};

namespace {

void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes > 0 && to != from) std::memmove(to, from, bytes);
}

}  // namespace

void World::post(int rank, Call& call) {
  const std::lock_guard lock(mutex_);
  call.ticket = next_ticket_++;
  done_[call.ticket] = false;
  const bool message = call.kind == OpKind::send || call.kind == OpKind::recv;
  message ? post_message(rank, call) : post_collective(rank, call);
  changed_.notify_all();
}

void World::post_message(int rank, Call& call) {
  const bool sends = call.kind == OpKind::send;
  const auto pair = sends ? std::pair(rank, call.peer) : std::pair(call.peer, rank);
  auto& own = sends ? sends_[pair] : recvs_[pair];
  auto& others = sends ? recvs_[pair] : sends_[pair];
  own.push_back(call);
  while (!own.empty() && !others.empty()) {
    const Call& from = sends ? own.front() : others.front();
    const Call& to = sends ? others.front() : own.front();
    copy_bytes(to.recv, from.send, from.bytes());
    done_[from.ticket] = done_[to.ticket] = true;
    own.pop_front();
    others.pop_front();
  }
}

void World::post_collective(int rank, Call& call) {
  const std::uint64_t number = posted_[static_cast<std::size_t>(rank)]++;
  Pending& pending = pending_[number];
  pending.calls.resize(static_cast<std::size_t>(nranks_));
  pending.calls[static_cast<std::size_t>(rank)] = call;
  if (++pending.here < nranks_) return;
  finish(pending.calls);
  for (const Call& one : pending.calls) done_[one.ticket] = true;
  pending_.erase(number);
}

void World::finish(const std::vector<Call>& calls) {
  is_reduction(calls.front().kind) ? reduce(calls) : move(calls);
}

void World::reduce(const std::vector<Call>& calls) {
  const Call& first = calls.front();
  const bool scatters = first.kind == OpKind::reduce_scatter;
  const std::size_t blocks = scatters ? calls.size() : 1;
  std::vector<double> premuls;
  std::vector<const std::byte*> sources;
  for (const Call& call : calls) {
    premuls.push_back(call.premul);
    sources.push_back(call.send);
  }
  std::vector<std::byte> result(first.bytes() * blocks);
  ReduceSpec spec{.type = first.type, .op = first.op, .nranks = nranks_};
  if (first.op == RedOp::mulsum) spec.premuls = premuls;
  linerate::reduce(result.data(), sources, first.count * blocks, spec);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (first.kind == OpKind::reduce && static_cast<int>(i) != first.peer) continue;
    copy_bytes(calls[i].recv, result.data() + (scatters ? i * first.bytes() : 0), first.bytes());
  }
}

// Every rank's send is copied first: recv buffers may overlap it.
void World::move(const std::vector<Call>& calls) {
  const OpKind kind = calls.front().kind;
  const std::size_t block = calls.front().bytes();
  const auto root = static_cast<std::size_t>(calls.front().peer);
  const std::size_t n = calls.size();
  std::vector<std::vector<std::byte>> sent;
  for (std::size_t i = 0; i < n; ++i) {
    const bool only_root = kind == OpKind::broadcast || kind == OpKind::scatter;
    const bool gives = !only_root || i == root;
    const std::size_t bytes = sends_blocks(kind) ? block * n : block;
    const std::size_t taken = gives ? bytes : 0;
    sent.emplace_back(calls[i].send, calls[i].send + taken);
  }
  for (std::size_t to = 0; to < n; ++to) {
    std::byte* const out = calls[to].recv;
    if (kind == OpKind::broadcast) copy_bytes(out, sent[root].data(), block);
    if (kind == OpKind::scatter) copy_bytes(out, sent[root].data() + to * block, block);
    if (kind == OpKind::gather && to != root) continue;
    for (std::size_t from = 0; from < n; ++from) {
      if (kind == OpKind::all_gather || kind == OpKind::gather)
        copy_bytes(out + from * block, sent[from].data(), block);
      if (kind == OpKind::all_to_all)
        copy_bytes(out + from * block, sent[from].data() + to * block, block);
    }
  }
}

bool World::is_done(std::uint64_t ticket) {
  const std::lock_guard lock(mutex_);
  const auto call = done_.find(ticket);
  if (call == done_.end() || !call->second) return call == done_.end();
  done_.erase(call);
  return true;
}

void World::want_part(int rank, int color, int key) {
  const std::lock_guard lock(mutex_);
  splits_[nsplits_[static_cast<std::size_t>(rank)]++].emplace_back(color, key, rank);
  changed_.notify_all();
}

std::shared_ptr<World> World::part_of(int rank, int color, int key, int& part_rank) {
  std::unique_lock lock(mutex_);
  const std::uint64_t number = nsplits_[static_cast<std::size_t>(rank)] - 1;
  auto& wishes = splits_[number];
  changed_.wait(lock, [&] { return wishes.size() == static_cast<std::size_t>(nranks_); });
  if (color < 0) return nullptr;
  std::vector<std::pair<int, int>> mine;
  for (const auto& [c, k, r] : wishes)
    if (c == color) mine.emplace_back(k, r);
  std::ranges::sort(mine);
  part_rank = static_cast<int>(std::ranges::find(mine, std::pair(key, rank)) - mine.begin());
  auto& part = parts_[{number, color}];
  if (!part) part = std::make_shared<World>(static_cast<int>(mine.size()));
  return part;
}

int Member::nranks() const { return world_->nranks(); }
void Member::post(Call& call) { world_->post(rank_, call); }
bool Member::is_over(const Call& call) {
  return aborted_ || (call.ticket != 0 && world_->is_done(call.ticket));
}
void Member::abort() { aborted_ = true; }

void Member::begin_split(int color, int key) { world_->want_part(rank_, color, key); }

std::shared_ptr<Member> Member::end_split(int color, int key) {
  int rank = 0;
  auto part = world_->part_of(rank_, color, key, rank);
  return part ? std::make_shared<Member>(std::move(part), rank) : nullptr;
}

ncclRedOp_t Member::create_premul(const void* scalar, DataType type) {
  double value = 0;
  with_type(type, [&]<typename T>() {
    T element;
    std::memcpy(&element, scalar, sizeof element);
    if constexpr (std::is_class_v<T>)
      value = static_cast<double>(static_cast<float>(element));
    else
      value = static_cast<double>(element);
  });
  premuls_.push_back(value);
  return static_cast<ncclRedOp_t>(static_cast<int>(ncclNumOps) + static_cast<int>(premuls_.size()) -
                                  1);
}

void Member::resolve(ncclRedOp_t op, Call& call) const {
  const bool own = op >= ncclNumOps;
  call.op = own ? RedOp::mulsum : static_cast<RedOp>(op);
  if (own) call.premul = premuls_[static_cast<std::size_t>(op - ncclNumOps)];
}

std::shared_ptr<Member> join(std::uint64_t id, int rank, int nranks) {
  static std::mutex mutex;
  static std::map<std::uint64_t, std::weak_ptr<World>> worlds;
  const std::lock_guard lock(mutex);
  auto world = worlds[id].lock();
  if (!world) worlds[id] = world = std::make_shared<World>(nranks);
  return std::make_shared<Member>(std::move(world), rank);
}

}  // namespace linerate::nccl::fake
