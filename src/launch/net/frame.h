// Frames on a TCP stream: a fixed header with magic and version, then a bounded payload, written
// and parsed without a socket, or sent and received over one; and the token that the first frame
// carries.
#pragma once

#include "base/result.h"
#include "comm/bootstrap.h"
#include "launch/net/socket.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace linerate {

inline constexpr std::size_t kMaxTokenBytes = 256;

// Equal, in a time that depends on the length of `given` only.
bool same_token(std::string_view expected, std::string_view given);
bool same_token(std::span<const std::byte> expected, std::span<const std::byte> given);

// Header: "LNR" and a version byte, type (1 byte), three zero bytes, payload length (4 bytes,
// little-endian).
inline constexpr std::size_t kFrameHeaderBytes = 12;

enum class FrameType : std::uint8_t {
  hello = 1,  // first of every connection: who I am, and the token
  welcome,    // the answer
  refused,    // a sentence; then the connection is closed
  set,        // store: key and value
  get,        // store: key
  stored,     // store: set is done
  taken,      // store: the key holds another value
  value,      // store: the answer to get
  data,       // tree: a small message
  offer,      // tree: a large message waits; its length
  go,         // tree: send what you offered
  body,       // tree: the large message
  failed,     // tree: the job has lost members, or a deadline has passed
  bye,        // tree: I leave as planned
};

// A message with its type; owns its bytes.
struct Frame {
  FrameType type = FrameType::hello;
  Bytes payload{};
};

Bytes payload_of(std::string_view text);
Bytes encode_header(FrameType type, std::size_t payload_bytes);
Bytes encode_frame(FrameType type, std::span<const std::byte> payload);

// What the beginning of a stream holds.
struct ParsedFrame {
  enum class State : std::uint8_t { incomplete, complete, malformed };
  State state = State::incomplete;
  FrameType type = FrameType::hello;
  std::span<const std::byte> payload{};  // within the input
  std::size_t consumed = 0;              // bytes of the whole frame
  std::string_view problem{};            // malformed: why
};

// Any bytes are allowed; a payload above `max_payload` is malformed as soon as its header is there.
ParsedFrame parse_frame(std::span<const std::byte> input, std::size_t max_payload);

// Bytes of the whole frame that begins with `header`. REQUIRES: a header that parse_frame accepts.
std::size_t frame_bytes(std::span<const std::byte> header);

void send_frame(Socket& socket, const Frame& frame, const Deadline& deadline);

// Throws Error when the peer does not speak our protocol, and what Socket::recv_all throws.
Frame recv_frame(Socket& socket, std::size_t max_payload, const Deadline& deadline);

}  // namespace linerate
