// Packing of plain values and strings into bytes for exchange between ranks of one build.
#pragma once

#include "base/error.h"

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace linerate {

// Appends values; the reader must take them in the same order.
class WireWriter {
 public:
  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void put_all(std::span<const T> values) {
    put(values.size());
    const auto bytes = std::as_bytes(values);
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void put_text(const std::string& text) { put_all(std::span<const char>(text)); }

  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

// Throws Error where the bytes end early: the peer runs another build.
class WireReader {
 public:
  explicit WireReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  bool empty() const { return rest_.empty(); }

  template <typename T>
  requires std::is_trivially_copyable_v<T> T get() {
    T value{};
    const auto from = take(sizeof(T));
    std::memcpy(&value, from.data(), sizeof(T));
    return value;
  }
  template <typename T>
  requires std::is_trivially_copyable_v<T> std::vector<T> get_all() {
    const auto count = get<std::size_t>();
    if (count > rest_.size() / sizeof(T)) throw short_message();
    std::vector<T> values(count);
    const auto from = take(count * sizeof(T));
    if (count > 0) std::memcpy(values.data(), from.data(), from.size());
    return values;
  }
  std::string get_text() {
    const auto text = get_all<char>();
    return {text.begin(), text.end()};
  }

 private:
  static Error short_message() {
    return Error("A message between ranks ends early: do all ranks run the same build?");
  }
  std::span<const std::byte> take(std::size_t bytes) {
    if (bytes > rest_.size()) throw short_message();
    const auto head = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return head;
  }

  std::span<const std::byte> rest_;
};

}  // namespace linerate
