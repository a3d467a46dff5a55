// Expected elements are written a stretch at a time; only stretches that differ are looked at.
#include "pattern/pattern.h"

#include "pattern/plan.h"
#include "pattern/writer.h"

#include <cassert>
#include <cstring>

namespace linerate::pattern {
namespace {

struct Scratch {
  alignas(64) std::byte bytes[kMaxStretch * sizeof(std::uint64_t)];
};

template <typename T>
std::uint64_t bits_at(const std::byte* from) {
  typename Format<T>::Bits bits;
  std::memcpy(&bits, from, sizeof bits);
  return bits;
}

template <typename T>
double value_at(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  if constexpr (std::is_class_v<T>)
    return static_cast<double>(static_cast<float>(value));
  else
    return static_cast<double>(value);
}

// Elements of the range from `index` on.
struct Pair {
  const std::byte* expected = nullptr;
  const std::byte* got = nullptr;
  std::size_t index = 0;
  std::size_t count = 0;
};

template <typename T>
void add_differences(Pair at, std::uint64_t tolerance, Comparison& sum) {
  for (; at.count > 0; --at.count, ++at.index, at.expected += sizeof(T), at.got += sizeof(T)) {
    const auto expected = bits_at<T>(at.expected);
    const auto got = bits_at<T>(at.got);
    if ((expected > got ? expected - got : got - expected) <= tolerance) continue;
    if (sum.wrong++ == 0)
      sum.first = {at.index, value_at<T>(at.expected), value_at<T>(at.got), expected, got};
  }
}

}  // namespace

void fill(View view, const Content& content) {
  const std::size_t bytes = bytes_of(content.type);
  assert(view.size() % bytes == 0);
  const Writer writer(content);
  Scratch scratch;
  for (std::size_t done = 0, count = view.size() / bytes; done < count;) {
    const std::size_t n = writer.write(done, count - done, scratch.bytes);
    std::memcpy(view.data() + done * bytes, scratch.bytes, n * bytes);
    done += n;
  }
}

Comparison count_wrong(ConstView view, const Content& content) {
  const std::size_t bytes = bytes_of(content.type);
  assert(view.size() % bytes == 0);
  const Writer writer(content);
  const std::uint64_t tolerance = tolerance_of(content);
  Comparison sum;
  Scratch scratch;
  for (std::size_t done = 0, count = view.size() / bytes; done < count;) {
    const std::size_t n = writer.write(done, count - done, scratch.bytes);
    const Pair at{scratch.bytes, view.data() + done * bytes, done, n};
    if (std::memcmp(at.expected, at.got, n * bytes) != 0)
      with_type(content.type, [&]<typename T>() { add_differences<T>(at, tolerance, sum); });
    done += n;
  }
  return sum;
}

}  // namespace linerate::pattern
