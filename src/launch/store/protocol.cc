// Requests are unpacked from frames within hard limits.
#include "launch/store/protocol.h"

#include "base/error.h"
#include "base/wire.h"
#include "launch/net/token.h"

namespace linerate {
namespace {

Result<StoreRequest> within_limits(StoreRequest request, std::size_t max_key) {
  if (request.key.size() > max_key) return Failure{"a key or token is too long"};
  if (request.value.size() > kMaxValueBytes) return Failure{"a value is too long"};
  return request;
}

Result<StoreRequest> unpack(FrameType type, std::span<const std::byte> payload) {
  using Kind = StoreRequest::Kind;
  WireReader reader(payload);
  StoreRequest request{.kind = type == FrameType::set ? Kind::set : Kind::get};
  if (type == FrameType::hello) request.kind = Kind::hello;
  request.key = reader.get_text();
  if (request.kind == Kind::set) request.value = reader.get_text();
  if (!reader.empty()) return Failure{"a request is longer than it says"};
  const auto max_key = request.kind == Kind::hello ? kMaxTokenBytes : kMaxKeyBytes;
  return within_limits(std::move(request), max_key);
}

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

}  // namespace linerate
