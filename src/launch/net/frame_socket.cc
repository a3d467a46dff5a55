// Whole frames by whole sends and receives.
#include "launch/net/frame_socket.h"

#include "base/error.h"

#include <fmt/format.h>

namespace linerate {
namespace {

ParsedFrame checked(const Socket& peer, std::span<const std::byte> input, std::size_t max_payload) {
  const auto parsed = parse_frame(input, max_payload);
  if (parsed.state == ParsedFrame::State::malformed)
    throw Error(fmt::format("{} is no peer of this job: {}", peer.peer_name(), parsed.problem));
  return parsed;
}

}  // namespace

void send_frame(Socket& socket, const Frame& frame, const Deadline& deadline) {
  socket.send_all(encode_frame(frame.type, frame.payload), deadline);
}

Frame recv_frame(Socket& socket, std::size_t max_payload, const Deadline& deadline) {
  Bytes buffer(kFrameHeaderBytes);
  socket.recv_all(buffer, deadline);
  auto parsed = checked(socket, buffer, max_payload);
  if (parsed.state == ParsedFrame::State::incomplete) {
    buffer.resize(frame_bytes(buffer));
    socket.recv_all(std::span(buffer).subspan(kFrameHeaderBytes), deadline);
    parsed = checked(socket, buffer, max_payload);
  }
  return {parsed.type, Bytes(parsed.payload.begin(), parsed.payload.end())};
}

}  // namespace linerate
