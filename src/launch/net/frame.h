// Frames on a TCP stream: a fixed header with magic and version, then a bounded payload. Pure.
#pragma once

#include "base/result.h"
#include "comm/bootstrap.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace linerate {

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

struct Frame {
  FrameType type = FrameType::hello;
  Bytes payload{};
};

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

}  // namespace linerate
