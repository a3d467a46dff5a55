// On the wire: 4 bytes of length, then the message: its index in ControlMessage and its members.
#include "launch/watch/link.h"

#include "base/error.h"
#include "base/wire.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace linerate {
namespace {

constexpr std::uint32_t kLongestMessage = std::uint32_t{16} << 20;

bool try_later(int code) { return code == EAGAIN || code == EWOULDBLOCK || code == EINTR; }

template <typename Kind>
bool read_as(ControlMessage& message, WireReader& reader) {
  message = reader.get<Kind>();
  return true;
}

// Throws PeerFailure where the bytes end early.
template <typename... Kinds>
bool read(std::variant<Kinds...>& message, std::uint8_t kind, WireReader& reader) {
  std::uint8_t index = 0;
  return ((index++ == kind && read_as<Kinds>(message, reader)) || ...);
}

}  // namespace

Bytes encode(const ControlMessage& message) {
  WireWriter writer;
  writer.put(static_cast<std::uint8_t>(message.index()));
  std::visit([&](const auto& kind) { writer.put(kind); }, message);
  return writer.take();
}

std::optional<ControlMessage> decode(std::span<const std::byte> bytes) {
  try {
    WireReader reader(bytes);
    ControlMessage message;
    const auto kind = reader.get<std::uint8_t>();
    if (read(message, kind, reader) && reader.empty()) return message;
  } catch (const PeerFailure&) {
    // It ends early.
  }
  return std::nullopt;
}

void ControlLink::send(const ControlMessage& message) {
  if (broken_) return;
  const auto bytes = encode(message);
  const auto length = static_cast<std::uint32_t>(bytes.size());
  const auto head = std::as_bytes(std::span(&length, 1));
  unsent_.insert(unsent_.end(), head.begin(), head.end());
  unsent_.insert(unsent_.end(), bytes.begin(), bytes.end());
  flush();
}

// A failed send does not break the link: receive() still yields what the peer said before it went.
void ControlLink::flush() {
  while (!unsent_.empty()) {
    const auto sent = ::send(fd(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && try_later(errno)) return;
    if (sent < 0) {
      if (errno != EPIPE) reason_ = errno;  // the system names a reason only once
      return unsent_.clear();
    }
    unsent_.erase(unsent_.begin(), unsent_.begin() + sent);
  }
}

void ControlLink::end(int reason) {
  broken_ = true;
  reason_ = reason;
  unsent_.clear();
}

void ControlLink::fill() {
  std::array<std::byte, 4096> part;
  while (!broken_) {
    const auto got = ::recv(fd(), part.data(), part.size(), MSG_DONTWAIT);
    if (got < 0 && try_later(errno)) return;
    if (got <= 0) return end(got < 0 ? errno : reason_);
    received_.insert(received_.end(), part.begin(), part.begin() + got);
  }
}

std::vector<ControlMessage> ControlLink::receive() {
  if (broken_) return {};
  fill();
  std::vector<ControlMessage> messages;
  std::span<const std::byte> rest(received_);
  std::uint32_t length = 0;
  while (rest.size() >= sizeof length) {
    std::memcpy(&length, rest.data(), sizeof length);
    if (length <= kLongestMessage && rest.size() - sizeof length < length) break;
    auto message =
        length <= kLongestMessage ? decode(rest.subspan(sizeof length, length)) : std::nullopt;
    if (!message) {
      end(EPROTO);
      break;
    }
    messages.push_back(std::move(*message));
    rest = rest.subspan(sizeof length + length);
  }
  received_.erase(received_.begin(), received_.end() - static_cast<std::ptrdiff_t>(rest.size()));
  return messages;
}

}  // namespace linerate
