// Requests are unpacked from frames within hard limits. A connection moves bytes without waiting,
// and gives up a client that is slow within a request.
#include "launch/store/protocol.h"

#include "base/error.h"
#include "base/wire.h"
#include "launch/net/frame.h"
#include "launch/store/store.h"

#include <poll.h>

#include <array>

namespace linerate {
namespace {

Result<StoreRequest> within_limits(StoreRequest request, std::size_t max_key) {
  if (request.key.size() > max_key) return Failure{"a key or token is too long"};
  if (request.value.size() > kMaxValueBytes) return Failure{"a value is too long"};
  return request;
}

Result<StoreRequest> unpack(FrameType type, std::span<const std::byte> payload) {
  WireReader reader(payload);
  StoreRequest request{.type = type, .key = reader.get_text()};
  if (type == FrameType::set) request.value = reader.get_text();
  if (!reader.empty()) return Failure{"a request is longer than it says"};
  const auto max_key = type == FrameType::hello ? kMaxTokenBytes : kMaxKeyBytes;
  return within_limits(std::move(request), max_key);
}

constexpr std::size_t kReadBytes = 4096;
constexpr std::size_t kMaxUnread = kFrameHeaderBytes + kMaxStorePayload;

}  // namespace

Frame hello_request(std::string_view token) {
  return {FrameType::hello, WireWriter().put_text(token).take()};
}
Frame set_request(std::string_view key, std::string_view value) {
  return {FrameType::set, WireWriter().put_text(key).put_text(value).take()};
}
Frame get_request(std::string_view key) {
  return {FrameType::get, WireWriter().put_text(key).take()};
}

Result<StoreRequest> parse_request(FrameType type, std::span<const std::byte> payload) {
  if (type != FrameType::hello && type != FrameType::set && type != FrameType::get)
    return Failure{"the store does not answer this kind of frame"};
  try {
    return unpack(type, payload);
  } catch (const PeerFailure& failure) {
    return Failure{failure.what()};
  }
}

StoreTable::Result StoreTable::set(const std::string& key, const std::string& value) {
  if (const auto* old = find(key)) return *old == value ? Result::stored : Result::taken;
  const auto added = key.size() + value.size();
  if (bytes_ + added > max_bytes_) return Result::full;
  bytes_ += added;
  values_.emplace(key, value);
  return Result::stored;
}

const std::string* StoreTable::find(const std::string& key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

StoreConnection::StoreConnection(Socket socket, std::int64_t now_ns)
    : socket_(std::move(socket)), busy_since_ns_(now_ns) {}

short StoreConnection::wanted_events() const {
  // A client that sends ahead of its answers waits; its end is still noticed (POLLHUP, POLLERR).
  const bool hungry = in_.size() < kMaxUnread && !refused_;
  return static_cast<short>((hungry ? POLLIN : 0) | (out_.empty() ? 0 : POLLOUT));
}

void StoreConnection::read(std::int64_t now_ns) {
  std::array<std::byte, kReadBytes> chunk;
  while (in_.size() < kMaxUnread && !refused_) {
    const auto count = socket_.recv_some(chunk);
    if (count == 0) return;
    if (in_.empty() && authenticated_ && out_.empty()) busy_since_ns_ = now_ns;
    in_.insert(in_.end(), chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(count));
  }
}

void StoreConnection::write() {
  const auto sent = socket_.send_some(out_);
  out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(sent));
}

void StoreConnection::move_bytes(std::int64_t now_ns) {
  try {
    if (!out_.empty()) write();
    read(now_ns);
  } catch (const PeerFailure&) {
    closed_ = true;
  }
}

std::optional<StoreRequest> StoreConnection::next_request(std::int64_t now_ns) {
  if (awaited_key_ || refused_ || closed_ || !out_.empty()) return std::nullopt;
  const auto parsed = parse_frame(in_, kMaxStorePayload);
  if (parsed.state == ParsedFrame::State::incomplete) return std::nullopt;
  if (parsed.state == ParsedFrame::State::malformed) {
    refuse(parsed.problem, now_ns);
    return std::nullopt;
  }
  const auto request = parse_request(parsed.type, parsed.payload);
  in_.erase(in_.begin(), in_.begin() + static_cast<std::ptrdiff_t>(parsed.consumed));
  if (request) return *request;
  refuse(request.sentence(), now_ns);
  return std::nullopt;
}

void StoreConnection::send(const Frame& answer, std::int64_t now_ns) {
  awaited_key_.reset();
  busy_since_ns_ = now_ns;
  const auto encoded = encode_frame(answer.type, answer.payload);
  out_.insert(out_.end(), encoded.begin(), encoded.end());
  try {
    write();
  } catch (const PeerFailure&) {
    closed_ = true;
  }
}

void StoreConnection::welcome(std::int64_t now_ns) {
  authenticated_ = true;
  send({FrameType::welcome, {}}, now_ns);
}

void StoreConnection::refuse(std::string_view sentence, std::int64_t now_ns) {
  refused_ = true;
  send({FrameType::refused, payload_of(sentence)}, now_ns);
}

bool StoreConnection::finished(std::int64_t now_ns) const {
  if (closed_ || (refused_ && out_.empty())) return true;
  const bool at_leisure = authenticated_ && out_.empty() && (in_.empty() || awaited_key_);
  constexpr auto kTimeoutNs = static_cast<std::int64_t>(StoreServer::kRequestTimeoutS * 1e9);
  return !at_leisure && now_ns - busy_since_ns_ > kTimeoutNs;
}

}  // namespace linerate
