// Collectives along a binary tree with rank 0 at its root.
#include "launch/tree/tcp_bootstrap.h"

#include "base/error.h"
#include "base/wire.h"
#include "launch/tree/tree.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <tuple>

namespace linerate {
namespace {

using Wait = Tree::Wait;

class TcpBootstrap final : public Bootstrap {
 public:
  TcpBootstrap(TreeMember member, std::string host, std::vector<TreeLink> links)
      : member_(std::move(member)),
        host_(std::move(host)),
        tree_(member_.rank, member_.nranks, std::move(links)) {}

  // Learns the members' hosts. Collective.
  void find_place(const Deadline& deadline);

  int rank() const override { return member_.rank; }
  int nranks() const override { return member_.nranks; }
  const NodePlace& place() const override { return place_; }
  const std::string& host() const { return host_; }

  void barrier(const Deadline& deadline) override;
  Bytes broadcast(std::span<const std::byte> mine, int root, const Deadline& deadline) override;
  std::vector<Bytes> gather(std::span<const std::byte> mine, const Deadline& deadline) override;
  std::vector<Bytes> all_gather(std::span<const std::byte> mine, const Deadline& deadline) override;
  Bytes exchange(int peer, std::span<const std::byte> mine, const Deadline& deadline) override;
  std::unique_ptr<Bootstrap> split(int color, int key, const Deadline& deadline) override;

  // The closed sockets end the others: whoever waits for this process hears of it at once.
  void abort(ExitCode code) noexcept override { ::_exit(static_cast<int>(code)); }

 private:
  bool is_root() const { return rank() == 0; }
  int parent() const { return tree_parent(rank()); }
  std::vector<int> children() const { return tree_children(rank(), nranks()); }
  bool is_below(int other) const;  // this rank is `other` or one of its ancestors

  Bytes collect(std::span<const std::byte> mine, const Wait& wait);
  Bytes spread(Bytes message, const Wait& wait);
  std::vector<Bytes> by_rank(std::span<const std::byte> collected) const;

  TreeMember member_;
  std::string host_;  // where the neighbours reach this process
  Tree tree_;
  NodePlace place_;
};

bool TcpBootstrap::is_below(int other) const {
  while (other > rank()) other = tree_parent(other);
  return other == rank();
}

// Towards rank 0: (rank, bytes) of this member and of all below it. Only rank 0 keeps the result.
Bytes TcpBootstrap::collect(std::span<const std::byte> mine, const Wait& wait) {
  auto all = WireWriter().put(rank()).put_all(mine).take();
  for (const int child : children()) {
    const auto below = tree_.receive(child, wait);
    all.insert(all.end(), below.begin(), below.end());
  }
  if (is_root()) return all;
  tree_.send(parent(), all, wait);
  return {};
}

// From rank 0, whose `message` counts, to everybody.
Bytes TcpBootstrap::spread(Bytes message, const Wait& wait) {
  if (!is_root()) message = tree_.receive(parent(), wait);
  for (const int child : children()) tree_.send(child, message, wait);
  return message;
}

std::vector<Bytes> TcpBootstrap::by_rank(std::span<const std::byte> collected) const {
  std::vector<Bytes> ordered(static_cast<std::size_t>(nranks()));
  for (WireReader reader(collected); !reader.empty();) {
    const auto from = reader.get_between(0, nranks() - 1);
    ordered[static_cast<std::size_t>(from)] = reader.get_all<std::byte>();
  }
  return ordered;
}

void TcpBootstrap::barrier(const Deadline& deadline) {
  const Wait wait{"barrier", deadline};
  for (const int child : children()) (void)tree_.receive(child, wait);
  if (!is_root()) tree_.send(parent(), {}, wait);
  (void)spread({}, wait);
}

Bytes TcpBootstrap::broadcast(std::span<const std::byte> mine, int root, const Deadline& deadline) {
  assert(root >= 0 && root < nranks());
  const Wait wait{"broadcast", deadline};
  Bytes message;
  if (is_below(root)) {  // on the way from the root of the call to the root of the tree
    if (rank() == root) message.assign(mine.begin(), mine.end());
    for (const int child : children())
      for (int other = root; other >= child; other = tree_parent(other))
        if (other == child) message = tree_.receive(child, wait);
    if (!is_root()) tree_.send(parent(), message, wait);
  }
  return spread(std::move(message), wait);
}

std::vector<Bytes> TcpBootstrap::gather(std::span<const std::byte> mine, const Deadline& deadline) {
  const auto collected = collect(mine, {"gather", deadline});
  return is_root() ? by_rank(collected) : std::vector<Bytes>{};
}

std::vector<Bytes> TcpBootstrap::all_gather(std::span<const std::byte> mine,
                                            const Deadline& deadline) {
  const Wait wait{"all_gather", deadline};
  return by_rank(spread(collect(mine, wait), wait));
}

Bytes TcpBootstrap::exchange(int peer, std::span<const std::byte> mine, const Deadline& deadline) {
  if (!tree_.has_link(peer))
    throw Error(fmt::format("ranks {} and {} are no neighbours in the tree", rank(), peer));
  const Wait wait{"exchange", deadline};
  // Both send at once where the messages fit into the sockets; otherwise the child goes first.
  if (mine.size() <= TreeLink::kEagerBytes || peer < rank()) {
    tree_.send(peer, mine, wait);
    return tree_.receive(peer, wait);
  }
  auto theirs = tree_.receive(peer, wait);
  tree_.send(peer, mine, wait);
  return theirs;
}

void TcpBootstrap::find_place(const Deadline& deadline) {
  place_ = place_among(all_values(*this, this_host(), deadline), rank());
}

// What one member brings to a split.
struct Choice {
  int color = 0;
  int key = 0;
  int rank = 0;  // before the split: its place in the list, which no member says itself
  SocketAddress address{};

  static auto members(auto& choice) { return std::tie(choice.color, choice.key, choice.address); }
};

std::unique_ptr<Bootstrap> TcpBootstrap::split(int color, int key, const Deadline& deadline) {
  Listener listener;
  Choice mine{.color = color, .key = key};
  if (color >= 0) {
    listener = Listener::open({host_, 0});
    mine.address = listener.address();
  }
  auto members = all_values(*this, mine, deadline);
  if (color < 0) return nullptr;
  for (std::size_t i = 0; i < members.size(); ++i) members[i].rank = static_cast<int>(i);
  std::erase_if(members, [&](const Choice& other) { return other.color != color; });
  std::ranges::stable_sort(members, {}, &Choice::key);  // they are in the order of their ranks
  const auto me = std::ranges::find(members, rank(), &Choice::rank);
  TreeMember member{.rank = static_cast<int>(me - members.begin()),
                    .nranks = static_cast<int>(members.size()),
                    .name = member_.name,
                    .token = member_.token};
  std::optional<SocketAddress> above;
  if (member.rank > 0) above = members[static_cast<std::size_t>(tree_parent(member.rank))].address;
  return tcp_bootstrap(std::move(member), std::move(listener), above, deadline);
}

}  // namespace

std::string host_of(const Bootstrap& bootstrap) {
  const auto* member = dynamic_cast<const TcpBootstrap*>(&bootstrap);
  return member != nullptr ? member->host() : std::string();
}

std::unique_ptr<Bootstrap> tcp_bootstrap(TreeMember member, Listener listener,
                                         const std::optional<SocketAddress>& parent,
                                         const Deadline& deadline) {
  auto host = listener.address().host;
  auto links = connect_tree(member, std::move(listener), parent, deadline);
  auto bootstrap =
      std::make_unique<TcpBootstrap>(std::move(member), std::move(host), std::move(links));
  bootstrap->find_place(deadline);
  return bootstrap;
}

}  // namespace linerate
