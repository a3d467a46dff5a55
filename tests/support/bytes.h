// Text as bytes on the wire, and back.
#pragma once

#include "comm/bootstrap.h"

#include <string>
#include <string_view>

namespace linerate {

inline Bytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

inline std::string text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace linerate
