// Lengths are little-endian; a header is checked as soon as its bytes have come.
#include "launch/net/frame.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>

namespace linerate {
namespace {

constexpr std::array<std::byte, 3> kMagic{std::byte{'L'}, std::byte{'N'}, std::byte{'R'}};
constexpr std::byte kVersion{2};
constexpr std::size_t kTypeAt = 4;
constexpr std::size_t kZerosAt = 5;
constexpr std::size_t kLengthAt = 8;

constexpr auto kFirstType = static_cast<std::uint8_t>(FrameType::hello);
constexpr auto kLastType = static_cast<std::uint8_t>(FrameType::bye);

ParsedFrame malformed(std::string_view problem) {
  return {.state = ParsedFrame::State::malformed, .problem = problem};
}

// Empty when the bytes that are there may begin a header.
std::string_view header_problem(std::span<const std::byte> input) {
  const auto magic = std::min(input.size(), kMagic.size());
  if (!std::equal(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(magic),
                  kMagic.begin()))
    return "it does not speak linerate's protocol";
  if (input.size() > kMagic.size() && input[kMagic.size()] != kVersion)
    return "it speaks another version of linerate's protocol";
  if (input.size() < kFrameHeaderBytes) return {};
  const auto type = std::to_integer<std::uint8_t>(input[kTypeAt]);
  const auto zeros = input.subspan(kZerosAt, kLengthAt - kZerosAt);
  const bool all_zero = std::ranges::all_of(zeros, [](std::byte b) { return b == std::byte{0}; });
  if (type < kFirstType || type > kLastType || !all_zero) return "it sent an unknown kind of frame";
  return {};
}

std::size_t payload_length(std::span<const std::byte> header) {
  std::size_t length = 0;
  for (std::size_t i = kFrameHeaderBytes; i-- > kLengthAt;)
    length = length << 8 | std::to_integer<std::size_t>(header[i]);
  return length;
}

ParsedFrame checked(const Socket& peer, std::span<const std::byte> input, std::size_t max_payload) {
  const auto parsed = parse_frame(input, max_payload);
  if (parsed.state == ParsedFrame::State::malformed)
    throw Error(fmt::format("{} is no peer of this job: {}", peer.peer_name(), parsed.problem));
  return parsed;
}

}  // namespace

bool same_token(std::span<const std::byte> expected, std::span<const std::byte> given) {
  std::byte difference{expected.size() != given.size()};
  for (std::size_t i = 0; i < given.size(); ++i)
    difference |= given[i] ^ (expected.empty() ? std::byte{0} : expected[i % expected.size()]);
  return difference == std::byte{0};
}

bool same_token(std::string_view expected, std::string_view given) {
  return same_token(std::as_bytes(std::span(expected)), std::as_bytes(std::span(given)));
}

Bytes payload_of(std::string_view text) {
  const auto raw = std::as_bytes(std::span(text));
  return {raw.begin(), raw.end()};
}

Bytes encode_header(FrameType type, std::size_t payload_bytes) {
  assert(payload_bytes <= std::numeric_limits<std::uint32_t>::max());
  Bytes header(kFrameHeaderBytes);
  std::ranges::copy(kMagic, header.begin());
  header[kMagic.size()] = kVersion;
  header[kTypeAt] = static_cast<std::byte>(type);
  for (std::size_t i = kLengthAt; i < kFrameHeaderBytes; ++i)
    header[i] = static_cast<std::byte>(payload_bytes >> (8 * (i - kLengthAt)) & 0xff);
  return header;
}

Bytes encode_frame(FrameType type, std::span<const std::byte> payload) {
  auto frame = encode_header(type, payload.size());
  frame.insert(frame.end(), payload.begin(), payload.end());
  return frame;
}

ParsedFrame parse_frame(std::span<const std::byte> input, std::size_t max_payload) {
  if (const auto problem = header_problem(input); !problem.empty()) return malformed(problem);
  if (input.size() < kFrameHeaderBytes) return {};
  const auto length = payload_length(input);
  if (length > max_payload) return malformed("it sent a frame that is too long");
  if (input.size() - kFrameHeaderBytes < length) return {};
  return {.state = ParsedFrame::State::complete,
          .type = static_cast<FrameType>(std::to_integer<std::uint8_t>(input[kTypeAt])),
          .payload = input.subspan(kFrameHeaderBytes, length),
          .consumed = kFrameHeaderBytes + length};
}

std::size_t frame_bytes(std::span<const std::byte> header) {
  return kFrameHeaderBytes + payload_length(header);
}

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
