// See message.h. A message is its index in ControlMessage, then its members in order; texts
// and lists begin with their length.
#include "launch/watch/message.h"

#include "launch/watch/fields.h"

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

}  // namespace linerate
