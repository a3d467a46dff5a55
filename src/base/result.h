// A value, or the sentence that says why the user's input gives none.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace linerate {

// A full sentence for the user: what was wrong, and the valid choices.
struct Failure {
  std::string sentence;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}            // NOLINT: implicit on purpose
  Result(Failure failure) : state_(std::move(failure)) {}  // NOLINT: implicit on purpose

  bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }

  // REQUIRES: ok().
  const T& value() const& {
    assert(ok());
    return std::get<T>(state_);
  }
  T&& value() && {
    assert(ok());
    return std::get<T>(std::move(state_));
  }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }

  // REQUIRES: !ok().
  const std::string& sentence() const {
    assert(!ok());
    return std::get<Failure>(state_).sentence;
  }
  Failure failure() const { return Failure{sentence()}; }

 private:
  std::variant<T, Failure> state_;
};

}  // namespace linerate
