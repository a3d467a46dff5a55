// Numbers, texts and lists as bytes: written without limit, read without trust.
#pragma once

#include "comm/bootstrap.h"

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace linerate {

template <typename T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class ByteWriter {
 public:
  template <Plain T>
  void operator()(const T& value) {
    append(std::as_bytes(std::span(&value, 1)));
  }
  void operator()(const std::string& text) {
    (*this)(static_cast<std::uint32_t>(text.size()));
    append(std::as_bytes(std::span(text)));
  }
  template <typename T>
  void operator()(const std::vector<T>& list) {
    each(list, [this](const T& item) { (*this)(item); });
  }
  template <typename List, typename WriteItem>
  void each(List& list, WriteItem write_item) {
    (*this)(static_cast<std::uint32_t>(list.size()));
    for (auto& item : list) write_item(item);
  }

  Bytes take() { return std::move(bytes_); }

 private:
  void append(std::span<const std::byte> more) {
    bytes_.insert(bytes_.end(), more.begin(), more.end());
  }
  Bytes bytes_;
};

// After the first thing that does not fit, everything reads as zero or empty, and it is not
// complete.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <Plain T>
  void operator()(T& value) {
    if (const auto bytes = next(sizeof(T)); !bytes.empty())
      std::memcpy(&value, bytes.data(), sizeof(T));
    else
      value = T{};
  }
  void operator()(std::string& text) {
    const auto bytes = next(length());
    text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  template <typename T>
  void operator()(std::vector<T>& list) {
    each(list, [this](T& item) { (*this)(item); });
  }
  template <typename List, typename ReadItem>
  void each(List& list, ReadItem read_item) {
    list.clear();
    for (auto left = length(); left > 0 && !broken_; --left) read_item(list.emplace_back());
  }

  bool complete() const { return !broken_ && rest_.empty(); }

 private:
  // Every item takes a byte at least, so a length above the rest is broken, and is not allocated.
  std::uint32_t length() {
    std::uint32_t value = 0;
    (*this)(value);
    if (value > rest_.size()) broken_ = true;
    return broken_ ? 0 : value;
  }
  std::span<const std::byte> next(std::size_t count) {
    if (broken_ || count > rest_.size()) {
      broken_ = true;
      return {};
    }
    const auto bytes = rest_.first(count);
    rest_ = rest_.subspan(count);
    return bytes;
  }

  std::span<const std::byte> rest_;
  bool broken_ = false;
};

}  // namespace linerate
