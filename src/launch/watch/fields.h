// Writes or reads a message from one description of its members: fields(visitor, message).
#pragma once

#include "base/wire.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace linerate {

class FieldWriter {
 public:
  template <Plain T>
  void operator()(const T& value) {
    wire_.put(value);
  }
  void operator()(const std::string& text) { wire_.put_text(text); }
  template <typename T>
  void operator()(const std::vector<T>& list) {
    each(list, [this](const T& item) { (*this)(item); });
  }
  template <typename List, typename Write>
  void each(List& list, Write write_item) {
    wire_.put(static_cast<std::uint32_t>(list.size()));
    for (auto& item : list) write_item(item);
  }

  std::vector<std::byte> take() { return wire_.take(); }

 private:
  WireWriter wire_;
};

// Throws PeerFailure as WireReader does.
class FieldReader {
 public:
  explicit FieldReader(std::span<const std::byte> bytes) : wire_(bytes) {}

  template <Plain T>
  void operator()(T& value) {
    value = wire_.get<T>();
  }
  void operator()(std::string& text) { text = wire_.get_text(); }
  template <typename T>
  void operator()(std::vector<T>& list) {
    each(list, [this](T& item) { (*this)(item); });
  }
  // Every item takes bytes, so that a length that lies ends with the bytes.
  template <typename List, typename Read>
  void each(List& list, Read read_item) {
    list.clear();
    for (auto left = wire_.get<std::uint32_t>(); left > 0; --left) read_item(list.emplace_back());
  }

  bool complete() const { return wire_.empty(); }

 private:
  WireReader wire_;
};

}  // namespace linerate
