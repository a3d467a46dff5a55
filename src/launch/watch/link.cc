// On the wire: 4 bytes of length, then the message: its index in ControlMessage and its members.
#include "launch/watch/link.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace linerate {
namespace {

// Each message is described once; the same description writes and reads it.
template <typename Stream>
void fields(Stream& stream, ThreadStatus& thread) {
  stream(thread.counter), stream(thread.entered_ns), stream(thread.bytes), stream(thread.calls);
  stream(thread.what), stream(thread.collective), stream(thread.placement);
}

template <typename Stream>
void fields(Stream& stream, Loss& loss) {
  stream(loss.kind), stream(loss.origin), stream(loss.process);
  stream(loss.ranks), stream(loss.sentence);
}

template <typename Stream>
void fields(Stream& stream, LostMessage& message) {
  stream.each(message.losses, [&](Loss& loss) { fields(stream, loss); });
}

template <typename Stream>
void fields(Stream& stream, InquiryMessage& message) {
  stream(message.origin), stream(message.serial);
}

template <typename Stream>
void fields(Stream& stream, StatusMessage& message) {
  stream(message.origin), stream(message.serial), stream(message.process);
  stream.each(message.threads, [&](ThreadStatus& thread) { fields(stream, thread); });
  stream(message.unlinked);
}

template <typename Stream>
void fields(Stream& stream, LeaveMessage& message) {
  stream(message.presence);
}
template <typename Stream>
void fields(Stream&, LeaveSeenMessage&) {}

template <typename Message>
std::optional<ControlMessage> read(FieldReader& reader) {
  Message message;
  fields(reader, message);
  if (!reader.complete()) return std::nullopt;
  return message;
}

// Throws PeerFailure where the bytes end early.
std::optional<ControlMessage> read_any(std::span<const std::byte> bytes) {
  FieldReader reader(bytes);
  std::uint8_t kind = 0xff;
  reader(kind);
  switch (kind) {
    case 0:
      return read<LostMessage>(reader);
    case 1:
      return read<InquiryMessage>(reader);
    case 2:
      return read<StatusMessage>(reader);
    case 3:
      return read<LeaveMessage>(reader);
    case 4:
      return read<LeaveSeenMessage>(reader);
    default:
      return std::nullopt;
  }
}

}  // namespace

Bytes encode(const ControlMessage& message) {
  FieldWriter writer;
  auto kind = static_cast<std::uint8_t>(message.index());
  writer(kind);
  auto copy = message;  // a description takes what it may also fill
  std::visit([&](auto& alternative) { fields(writer, alternative); }, copy);
  return writer.take();
}

std::optional<ControlMessage> decode(std::span<const std::byte> bytes) {
  try {
    return read_any(bytes);
  } catch (const PeerFailure&) {
    return std::nullopt;
  }
}

namespace {

constexpr std::uint32_t kLongestMessage = std::uint32_t{16} << 20;

bool try_later(int code) { return code == EAGAIN || code == EWOULDBLOCK || code == EINTR; }

}  // namespace

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
