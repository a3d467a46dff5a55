// Values as bytes, for messages between ranks of one build.
#pragma once

#include "base/error.h"

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace linerate {

// A struct that says which of its members travel, once for both ways:
//   static auto members(auto& self) { return std::tie(self.rank, self.name); }
template <typename T>
concept WireMessage = requires(T& value) {
  T::members(value);
};

// Texts are no plain values: the bytes of a view or of a literal are not its characters.
template <typename T>
concept Plain = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !WireMessage<T> &&
                !std::is_convertible_v<const T&, std::string_view>;

// Appends plain values, texts, messages and lists of them; the reader must take them in the same
// order, as the same types.
class WireWriter {
 public:
  template <Plain T>
  WireWriter& put(const T& value) {
    return append(std::as_bytes(std::span(&value, 1)));
  }
  template <WireMessage T>
  WireWriter& put(const T& message) {
    std::apply([this](const auto&... value) { (this->put(value), ...); }, T::members(message));
    return *this;
  }
  template <typename T>
  WireWriter& put(const std::vector<T>& list) {
    put(list.size());
    for (const T& item : list) put(item);
    return *this;
  }
  WireWriter& put(const std::string& text) { return put_text(text); }
  template <Plain T>
  WireWriter& put_all(std::span<const T> values) {
    return put(values.size()).append(std::as_bytes(values));
  }
  WireWriter& put_text(std::string_view text) { return put_all(std::span<const char>(text)); }

  const std::vector<std::byte>& bytes() const { return bytes_; }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  WireWriter& append(std::span<const std::byte> more) {
    bytes_.insert(bytes_.end(), more.begin(), more.end());
    return *this;
  }

  std::vector<std::byte> bytes_;
};

// Throws PeerFailure where the bytes end early or make no sense: any bytes may come. No length
// makes it allocate more than the bytes can hold. The bytes outlive the reader.
class WireReader {
 public:
  explicit WireReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  bool empty() const { return rest_.empty(); }

  // Throws PeerFailure unless all bytes were read.
  void finish() const {
    if (!empty()) throw PeerFailure("A message between ranks is too long: do all run one build?");
  }

  template <typename T>
  T get() {
    T value{};
    read(value);
    return value;
  }
  // A number that must lie in [low, high].
  template <Plain T>
  T get_between(T low, T high) {
    const T value = get<T>();
    if (value < low || value > high) throw PeerFailure("A peer sent a number that makes no sense.");
    return value;
  }
  template <Plain T>
  std::vector<T> get_all() {
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
  static PeerFailure short_message() {
    return PeerFailure("A message between ranks ends early: do all ranks run the same build?");
  }
  template <Plain T>
  void read(T& value) {
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
  }
  template <WireMessage T>
  void read(T& message) {
    std::apply([this](auto&... value) { (this->read(value), ...); }, T::members(message));
  }
  // Every item takes bytes, so that a length that lies ends with the bytes.
  template <typename T>
  void read(std::vector<T>& list) {
    for (auto left = get<std::size_t>(); left > 0; --left) read(list.emplace_back());
  }
  void read(std::string& text) { text = get_text(); }

  std::span<const std::byte> take(std::size_t bytes) {
    if (bytes > rest_.size()) throw short_message();
    const auto head = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return head;
  }

  std::span<const std::byte> rest_;
};

}  // namespace linerate
