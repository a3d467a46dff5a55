// Each request is sent again over a new connection until the deadline.
#include "base/error.h"
#include "launch/net/frame.h"
#include "launch/store/store.h"

#include <fmt/format.h>

#include <poll.h>

#include <algorithm>

namespace linerate {
namespace {

constexpr int kFirstPauseMs = 10;
constexpr int kLongestPauseMs = 500;
constexpr std::string_view kNoStore = "rank 0, whose store does not answer";

std::string text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

StoreClient::StoreClient(SocketAddress store, std::string token, const Deadline& deadline,
                         double connect_s)
    : store_(std::move(store)),
      token_(std::move(token)),
      deadline_(deadline),
      connect_s_(connect_s) {}

void StoreClient::connect() {
  if (socket_) return;
  auto socket =
      connect_to(store_, connect_s_ > 0 ? Deadline::after(clock_, connect_s_) : deadline_);
  socket.name_peer(fmt::format("the store at {}", linerate::text_of(store_)));
  send_frame(socket, hello_request(token_), deadline_);
  const auto answer = recv_frame(socket, kMaxStorePayload, deadline_);
  if (answer.type == FrameType::refused)
    throw Error(
        fmt::format("{} refuses this process: {}", socket.peer_name(), text_of(answer.payload)),
        ExitCode::usage);
  socket_ = std::move(socket);
}

Frame StoreClient::ask_once(const Frame& request) {
  connect();
  send_frame(socket_, request, deadline_);
  return recv_frame(socket_, kMaxStorePayload, deadline_);
}

template <typename Attempt>
auto StoreClient::retry(std::string_view what, Attempt attempt) {
  for (int pause_ms = kFirstPauseMs;; pause_ms = std::min(2 * pause_ms, kLongestPauseMs)) {
    try {
      return attempt();
    } catch (const TimeoutError& error) {
      throw TimeoutError(fmt::format("timed out waiting for {}: {}", what, error.what()));
    } catch (const PeerFailure& failure) {
      // A busy store drops those that wait: come again.
      socket_.close();
      if (deadline_.passed())
        throw TimeoutError(fmt::format("timed out waiting for {}: {}", what, failure.what()));
      (void)::poll(nullptr, 0, pause_ms);
    }
  }
}

Frame StoreClient::ask(const Frame& request, std::string_view what) {
  auto frame = retry(what, [&] { return ask_once(request); });
  if (frame.type != FrameType::refused) return frame;
  throw Error(fmt::format("{} refuses: {}", socket_.peer_name(), text_of(frame.payload)));
}

bool StoreClient::set(std::string_view key, std::string_view value) {
  return ask(set_request(key, value), kNoStore).type == FrameType::stored;
}

std::string StoreClient::get(std::string_view key, std::string_view what) {
  return text_of(ask(get_request(key), what).payload);
}

std::string StoreClient::local_host() {
  retry(kNoStore, [&] { connect(); });
  return socket_.local().host;
}

}  // namespace linerate
