// The parent is greeted first, then the children are awaited.
#include "base/acceptor.h"
#include "base/error.h"
#include "base/wire.h"
#include "comm/bootstrap.h"
#include "launch/net/frame.h"
#include "launch/tree/tcp_bootstrap.h"

#include <fmt/format.h>

#include <poll.h>

#include <algorithm>
#include <iterator>
#include <tuple>

namespace linerate {
namespace {

constexpr std::size_t kMaxHelloBytes = 1024;

struct TreeHello {
  std::string token{};
  int rank = 0;
  std::string name{};

  static auto members(auto& hello) { return std::tie(hello.token, hello.rank, hello.name); }
};

Bytes pack(const TreeHello& hello) { return WireWriter().put(hello).take(); }

// Waits at the listener for the children of one member.
class ChildAcceptor {
 public:
  ChildAcceptor(const TreeMember& member, Listener listener);

  // Puts the children behind the links that are there.
  void wait_for_all(const Deadline& deadline, std::vector<TreeLink>& links);

 private:
  static std::vector<FileDescriptor> only(Listener listener);
  Acceptor::Next greet(FileDescriptor& connection, std::span<const std::byte> bytes);
  void answer(Socket socket, TreeHello hello);

  const TreeMember& member_;
  SteadyClock clock_;
  std::vector<int> missing_;
  std::vector<TreeLink> children_;
  Acceptor acceptor_;
};

ChildAcceptor::ChildAcceptor(const TreeMember& member, Listener listener)
    : member_(member),
      missing_(tree_children(member.rank, member.nranks)),
      acceptor_(only(std::move(listener)), {.max_bytes = kMaxHelloBytes},
                [this](auto& connection, auto bytes) { return greet(connection, bytes); }) {}

std::vector<FileDescriptor> ChildAcceptor::only(Listener listener) {
  std::vector<FileDescriptor> listeners;
  listeners.push_back(std::move(listener).take());
  return listeners;
}

void ChildAcceptor::wait_for_all(const Deadline& deadline, std::vector<TreeLink>& links) {
  while (!missing_.empty()) {
    if (deadline.passed())
      throw TimeoutError(fmt::format("timed out waiting for rank {} to connect to {}",
                                     fmt::join(missing_, " and rank "), member_.name));
    (void)acceptor_.serve(deadline.poll_ms());
  }
  std::ranges::move(children_, std::back_inserter(links));
}

Acceptor::Next ChildAcceptor::greet(FileDescriptor& connection, std::span<const std::byte> bytes) {
  const auto frame = parse_frame(bytes, kMaxHelloBytes);
  if (frame.state == ParsedFrame::State::incomplete) return Acceptor::Next::wait;
  if (frame.state == ParsedFrame::State::malformed || frame.type != FrameType::hello)
    return Acceptor::Next::drop;
  try {
    answer(Socket(std::move(connection)), read_whole<TreeHello>(frame.payload));
  } catch (const Error&) {
    // It said what no member says, or went while it was answered.
  }
  return Acceptor::Next::drop;
}

void ChildAcceptor::answer(Socket socket, TreeHello hello) {
  const Deadline at_once = Deadline::after(clock_, 1e-9);
  const auto child = std::ranges::find(missing_, hello.rank);
  const bool is_peer = same_token(member_.token, hello.token);
  if (!is_peer || child == missing_.end()) {
    const auto reason = is_peer ? "this rank is not expected" : "the token is not this run's";
    return send_frame(socket, {FrameType::refused, payload_of(reason)}, at_once);
  }
  send_frame(socket, {FrameType::welcome, pack({"", member_.rank, member_.name})}, at_once);
  socket.name_peer(std::move(hello.name), hello.rank);
  children_.emplace_back(std::move(socket));
  missing_.erase(child);
}

// Nothing when the connection was lost and another attempt may succeed.
std::optional<Socket> greet_parent(const TreeMember& member, const SocketAddress& parent,
                                   const Deadline& deadline) {
  auto socket = connect_to(parent, deadline);
  const int rank = tree_parent(member.rank);
  socket.name_peer(fmt::format("rank {} at {}", rank, text_of(parent)), rank);
  try {
    send_frame(socket, {FrameType::hello, pack({member.token, member.rank, member.name})},
               deadline);
    const auto answer = recv_frame(socket, kMaxHelloBytes, deadline);
    if (answer.type == FrameType::refused)
      throw Error(fmt::format("{} refuses this process: {}", socket.peer_name(),
                              std::string_view(reinterpret_cast<const char*>(answer.payload.data()),
                                               answer.payload.size())));
    auto welcome = answer.type == FrameType::welcome ? read_whole<TreeHello>(answer.payload)
                                                     : TreeHello{.rank = -1};
    if (welcome.rank != rank) throw Error(fmt::format("{} is another process", socket.peer_name()));
    socket.name_peer(std::move(welcome.name), rank);
    return socket;
  } catch (const PeerFailure&) {
    if (deadline.passed()) throw;
    return std::nullopt;
  }
}

Socket connect_to_parent(const TreeMember& member, const SocketAddress& parent,
                         const Deadline& deadline) {
  constexpr int kPauseMs = 50;
  for (;; (void)::poll(nullptr, 0, kPauseMs))
    if (auto socket = greet_parent(member, parent, deadline)) return std::move(*socket);
}

}  // namespace

std::vector<TreeLink> connect_tree(const TreeMember& member, Listener listener,
                                   const std::optional<SocketAddress>& parent,
                                   const Deadline& deadline) {
  std::vector<TreeLink> links;
  if (parent) links.emplace_back(connect_to_parent(member, *parent, deadline));
  ChildAcceptor(member, std::move(listener)).wait_for_all(deadline, links);
  return links;
}

}  // namespace linerate
