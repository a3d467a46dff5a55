// See connect.h.
#include "launch/tree/connect.h"

#include "base/error.h"
#include "base/wire.h"
#include "comm/bootstrap.h"
#include "launch/net/descriptor.h"
#include "launch/net/frame_socket.h"
#include "launch/net/token.h"

#include <fmt/format.h>

#include <poll.h>

#include <algorithm>
#include <array>
#include <limits>
#include <list>

namespace linerate {
namespace {

constexpr std::size_t kMaxNameBytes = 512;
constexpr std::size_t kMaxHelloBytes = 1024;
constexpr std::size_t kMaxVisitors = 64;
constexpr int kTickMs = 250;
constexpr std::int64_t kPatienceNs = 5'000'000'000;

struct Hello {
  std::string token{};
  int rank = 0;
  std::string name{};
};

Bytes pack(const Hello& hello) {
  return WireWriter()
      .put_text(hello.token)
      .put(hello.rank)
      .put_text(std::string_view(hello.name).substr(0, kMaxNameBytes))
      .take();
}

Hello unpack(std::span<const std::byte> packed) {
  WireReader reader(packed);
  Hello hello;
  hello.token = reader.get_text();
  hello.rank = reader.get_between(0, std::numeric_limits<int>::max());
  hello.name = reader.get_text();
  return hello;
}

Bytes bytes_of(std::string_view text) {
  const auto raw = std::as_bytes(std::span(text));
  return {raw.begin(), raw.end()};
}

// Somebody who has connected but not yet said who it is.
struct Visitor {
  Socket socket;
  Bytes read{};
  std::int64_t since_ns = 0;
  bool gone = false;
};

// Waits at the listener for the children of one member.
class Lobby {
 public:
  Lobby(const TreeSeat& seat, Listener listener) : seat_(seat), listener_(std::move(listener)) {
    for (int child = 2 * seat.rank + 1; child <= 2 * seat.rank + 2 && child < seat.nranks; ++child)
      missing_.push_back(child);
  }

  void wait_for_all(const Deadline& deadline, std::vector<TreeLink>& links);

 private:
  void wait(const Deadline& deadline);
  void let_in();
  void listen_to(Visitor& visitor, std::vector<TreeLink>& links);
  void seat(Visitor& visitor, const ParsedFrame& frame, std::vector<TreeLink>& links);

  const TreeSeat& seat_;
  Listener listener_;
  SteadyClock clock_;
  std::vector<int> missing_;
  std::list<Visitor> visitors_;  // oldest first
  bool out_of_descriptors_ = false;
};

void Lobby::wait_for_all(const Deadline& deadline, std::vector<TreeLink>& links) {
  while (!missing_.empty()) {
    wait(deadline);
    let_in();
    for (auto& visitor : visitors_) listen_to(visitor, links);
    visitors_.remove_if([&](const auto& visitor) {
      return visitor.gone || clock_.now_ns() - visitor.since_ns > kPatienceNs;
    });
  }
}

void Lobby::wait(const Deadline& deadline) {
  if (deadline.passed())
    throw TimeoutError(fmt::format("timed out waiting for rank {} to connect to {}",
                                   fmt::join(missing_, " and rank "), seat_.name));
  std::vector<pollfd> polled{{out_of_descriptors_ ? -1 : listener_.fd(), POLLIN, 0}};
  for (const auto& visitor : visitors_) polled.push_back({visitor.socket.fd(), POLLIN, 0});
  const int wait_ms = deadline.bounded() ? std::min(deadline.poll_ms(), kTickMs) : kTickMs;
  (void)::poll(polled.data(), polled.size(), wait_ms);
}

void Lobby::let_in() {
  while (auto socket = listener_.try_accept()) {
    if (visitors_.size() >= kMaxVisitors) visitors_.pop_front();
    visitors_.push_back({.socket = std::move(*socket), .since_ns = clock_.now_ns()});
  }
  out_of_descriptors_ = out_of_descriptors(errno);
}

void Lobby::listen_to(Visitor& visitor, std::vector<TreeLink>& links) {
  std::array<std::byte, kMaxHelloBytes> chunk;
  try {
    const auto count = visitor.socket.recv_some(chunk);
    visitor.read.insert(visitor.read.end(), chunk.begin(),
                        chunk.begin() + static_cast<std::ptrdiff_t>(count));
    const auto frame = parse_frame(visitor.read, kMaxHelloBytes);
    if (frame.state == ParsedFrame::State::malformed) visitor.gone = true;
    if (frame.state == ParsedFrame::State::complete) seat(visitor, frame, links);
  } catch (const Error&) {
    visitor.gone = true;
  }
}

void Lobby::seat(Visitor& visitor, const ParsedFrame& frame, std::vector<TreeLink>& links) {
  visitor.gone = true;
  if (frame.type != FrameType::hello) return;
  auto hello = unpack(frame.payload);
  const Deadline at_once = Deadline::after(clock_, 1e-9);
  if (!same_token(seat_.token, hello.token))
    return send_frame(visitor.socket, {FrameType::refused, bytes_of("the token is not this run's")},
                      at_once);
  const auto child = std::ranges::find(missing_, hello.rank);
  if (child == missing_.end())
    return send_frame(visitor.socket, {FrameType::refused, bytes_of("this rank is not expected")},
                      at_once);
  send_frame(visitor.socket, {FrameType::welcome, pack({"", seat_.rank, seat_.name})}, at_once);
  visitor.socket.name_peer(std::move(hello.name), hello.rank);
  links.emplace_back(std::move(visitor.socket));
  missing_.erase(child);
}

// Nothing when the connection was lost and another attempt may succeed.
std::optional<Socket> greet_parent(const TreeSeat& seat, const SocketAddress& parent,
                                   const Deadline& deadline) {
  auto socket = connect_to(parent, deadline);
  const int rank = tree_parent(seat.rank);
  socket.name_peer(fmt::format("rank {} at {}", rank, text_of(parent)), rank);
  try {
    send_frame(socket, {FrameType::hello, pack({seat.token, seat.rank, seat.name})}, deadline);
    const auto answer = recv_frame(socket, kMaxHelloBytes, deadline);
    if (answer.type == FrameType::refused)
      throw Error(fmt::format("{} refuses this process: {}", socket.peer_name(),
                              std::string_view(reinterpret_cast<const char*>(answer.payload.data()),
                                               answer.payload.size())));
    auto welcome = unpack(answer.payload);
    if (answer.type != FrameType::welcome || welcome.rank != rank)
      throw Error(fmt::format("{} is another process", socket.peer_name()));
    socket.name_peer(std::move(welcome.name), rank);
    return socket;
  } catch (const PeerFailure&) {
    if (deadline.passed()) throw;
    return std::nullopt;
  }
}

Socket connect_to_parent(const TreeSeat& seat, const SocketAddress& parent,
                         const Deadline& deadline) {
  constexpr int kPauseMs = 50;
  for (;; (void)::poll(nullptr, 0, kPauseMs))
    if (auto socket = greet_parent(seat, parent, deadline)) return std::move(*socket);
}

}  // namespace

std::vector<TreeLink> connect_tree(const TreeSeat& seat, Listener listener,
                                   const std::optional<SocketAddress>& parent,
                                   const Deadline& deadline) {
  std::vector<TreeLink> links;
  if (parent) links.emplace_back(connect_to_parent(seat, *parent, deadline));
  Lobby(seat, std::move(listener)).wait_for_all(deadline, links);
  return links;
}

}  // namespace linerate
