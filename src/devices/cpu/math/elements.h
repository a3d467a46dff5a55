// Elements of the four types that Math computes with.
#pragma once

#include "comm/data_type.h"
#include "comm/math.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

namespace linerate::cpu {

// What T is computed in: float, or double for double.
template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

// Calls `body` as body.template operator()<T>() with the C++ type of `type`. REQUIRES: one of four.
template <typename Body>
void with_float(DataType type, Body&& body) {
  switch (type) {
    case DataType::float32:
      return body.template operator()<float>();
    case DataType::float64:
      return body.template operator()<double>();
    case DataType::bfloat16:
      return body.template operator()<BFloat16>();
    case DataType::float16:
      return body.template operator()<Half>();
    default:
      assert(false && "Math computes with float32, float64, bfloat16 and float16");
  }
}

template <typename T>
T* elements(Array array) {
  return reinterpret_cast<T*>(array.data);
}

// Uninitialised room for `count` elements, on a multiple of a cache line.
template <typename T>
class Scratch {
 public:
  explicit Scratch(std::size_t count)
      : data_(static_cast<T*>(::operator new(count * sizeof(T), kAlignment))) {}
  T* data() const { return data_.get(); }
  T& operator[](std::size_t i) const { return data_.get()[i]; }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Free {
    void operator()(T* data) const { ::operator delete(data, kAlignment); }
  };
  std::unique_ptr<T[], Free> data_;
};

// Sums of a column each, over rows, which are rounded once.
template <typename T>
class RowSum {
 public:
  explicit RowSum(std::size_t columns) : columns_(columns), sums_(columns) {
    std::fill_n(sums_.data(), columns, Wide<T>(0));
  }
  Wide<T>* data() const { return sums_.data(); }
  void add_to(T* gradient) const {
    for (std::size_t c = 0; c < columns_; ++c)
      gradient[c] = T(static_cast<Wide<T>>(gradient[c]) + sums_[c]);
  }

 private:
  std::size_t columns_;
  Scratch<Wide<T>> sums_;
};

}  // namespace linerate::cpu
