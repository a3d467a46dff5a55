// See packing.h.
#include "launch/net/packing.h"

#include "base/error.h"

namespace linerate {
namespace {

constexpr std::size_t kNumberBytes = sizeof(std::int64_t);

}  // namespace

Packer& Packer::number(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  for (std::size_t i = 0; i < kNumberBytes; ++i)
    packed_.push_back(static_cast<std::byte>(bits >> (8 * i) & 0xff));
  return *this;
}

Packer& Packer::bytes(std::span<const std::byte> value) {
  number(static_cast<std::int64_t>(value.size()));
  packed_.insert(packed_.end(), value.begin(), value.end());
  return *this;
}

std::span<const std::byte> Unpacker::take(std::size_t count) {
  if (count > rest_.size()) throw PeerFailure("a peer sent a message that is shorter than it says");
  const auto taken = rest_.first(count);
  rest_ = rest_.subspan(count);
  return taken;
}

std::int64_t Unpacker::number() {
  std::uint64_t bits = 0;
  const auto raw = take(kNumberBytes);
  for (std::size_t i = 0; i < kNumberBytes; ++i)
    bits |= std::to_integer<std::uint64_t>(raw[i]) << (8 * i);
  return static_cast<std::int64_t>(bits);
}

int Unpacker::integer(int low, int high) {
  const auto value = number();
  if (value < low || value > high) throw PeerFailure("a peer sent a number that makes no sense");
  return static_cast<int>(value);
}

Bytes Unpacker::bytes() {
  const auto taken = take(static_cast<std::size_t>(number()));
  return {taken.begin(), taken.end()};
}

std::string Unpacker::text() {
  const auto taken = take(static_cast<std::size_t>(number()));
  return {reinterpret_cast<const char*>(taken.data()), taken.size()};
}

}  // namespace linerate
