// Large messages are offered first and sent when the neighbour asks for them.
#include "base/error.h"
#include "base/wire.h"
#include "launch/tree/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

namespace linerate {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;

}  // namespace

Bytes pack_failure(const JobFailure& failure) {
  // A sentence and ranks that a neighbour reads in one eager frame.
  constexpr std::size_t kLongestSentence = 1024;
  constexpr std::size_t kMaxRanks = 256;
  const auto nranks = std::min(failure.ranks.size(), kMaxRanks);
  return WireWriter()
      .put(failure.kind)
      .put_text(std::string_view(failure.sentence).substr(0, kLongestSentence))
      .put_all(std::span(failure.ranks).first(nranks))
      .take();
}

JobFailure unpack_failure(std::span<const std::byte> packed) {
  WireReader reader(packed);
  const bool timed_out = reader.get<JobFailure::Kind>() == JobFailure::Kind::timeout;
  auto sentence = reader.get_text();
  auto failure = timed_out ? JobFailure::timed_out(std::move(sentence))
                           : JobFailure::lost(std::move(sentence), {});
  failure.ranks = reader.get_all<int>();
  return failure;
}

void TreeLink::lose(std::string sentence) {
  closed_ = true;
  if (left_ || failure_) return;
  failure_ = JobFailure::lost(std::move(sentence), {rank()});
}

void TreeLink::pump() {
  if (closed_) return;
  std::array<std::byte, kReadBytes> chunk;
  try {
    while (const auto count = socket_.recv_some(chunk)) {
      in_.insert(in_.end(), chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(count));
      if (count < chunk.size()) break;
    }
  } catch (const PeerFailure& failure) {
    lose(failure.what());  // unless the last frame, which may have been read, explains it
  }
  std::size_t consumed = 0;
  for (;;) {
    const auto frame =
        parse_frame(std::span<const std::byte>(in_).subspan(consumed), kMaxMessageBytes);
    if (frame.state == ParsedFrame::State::malformed)
      lose(fmt::format("lost the connection to {}: {}", name(), frame.problem));
    if (frame.state != ParsedFrame::State::complete) break;
    consumed += frame.consumed;
    accept_frame(frame);
  }
  in_.erase(in_.begin(), in_.begin() + static_cast<std::ptrdiff_t>(consumed));
}

void TreeLink::accept_frame(const ParsedFrame& frame) {
  unanswered_ = 0;
  switch (frame.type) {
    case FrameType::body:
    case FrameType::data:
      inbox_.emplace_back(frame.payload.begin(), frame.payload.end());
      return;
    case FrameType::offer:
      offered_ = true;
      return;
    case FrameType::go:
      go_ = true;
      return;
    case FrameType::bye:
      left_ = true;
      failure_.reset();
      return;
    case FrameType::failed:
      try {
        failure_ = unpack_failure(frame.payload);
      } catch (const PeerFailure& failure) {
        lose(failure.what());
      }
      return;
    case FrameType::hello:
    case FrameType::welcome:
    case FrameType::refused:
    case FrameType::set:
    case FrameType::get:
    case FrameType::stored:
    case FrameType::taken:
    case FrameType::value:
      break;
  }
  lose(
      fmt::format("lost the connection to {}: it sent a frame that is none of the tree's", name()));
}

std::optional<Bytes> TreeLink::take_message() {
  if (inbox_.empty()) return std::nullopt;
  auto message = std::move(inbox_.front());
  inbox_.pop_front();
  return message;
}

void TreeLink::begin(FrameType type, std::span<const std::byte> payload) {
  assert(done());
  // One packet for small frames: the payload travels with its header.
  const bool small = payload.size() <= kEagerBytes;
  out_ = small ? encode_frame(type, payload) : encode_header(type, payload.size());
  body_ = small ? std::span<const std::byte>{} : payload;
  sent_ = 0;
  if (type == FrameType::go) offered_ = false;
  if (type == FrameType::body) go_ = false;
  if (type == FrameType::data) unanswered_ += payload.size();
}

void TreeLink::write() {
  if (closed_) return;
  const auto rest = sent_ < out_.size() ? std::span<const std::byte>(out_).subspan(sent_)
                                        : body_.subspan(sent_ - out_.size());
  try {
    sent_ += socket_.send_some(rest);
  } catch (const PeerFailure& failure) {
    pump();  // its last frame may say more than the broken connection does
    lose(failure.what());
  }
}

void TreeLink::send_last(FrameType type, std::span<const std::byte> payload) noexcept {
  if (closed_) return;
  try {
    pump();  // bytes left unread would reset the connection, and take the last frame along
    closed_ = true;
    const auto frame = encode_frame(type, payload);
    if (done() && socket_.send_some(frame) == frame.size()) return;
  } catch (const std::exception&) {
    // The neighbour is gone already, or there is no memory: cutting the connection tells it too.
  }
  closed_ = true;
  socket_.shutdown();
}

}  // namespace linerate
