#include "bench/probe/kernels.h"

#include "base/simd.h"
#include "base/stream_copy.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <array>
#include <cstdint>

// Loops stay loops: a call of memset or memcpy would choose its own kind of store.
#define LINERATE_PLAIN_LOOP __attribute__((optimize("no-tree-loop-distribute-patterns")))

namespace linerate::probe {
namespace {

constexpr std::uint64_t kScalar = 3;  // of the triad

// Made of bytes 3f and 80: a normal number in each floating-point type, and or-ing it to another
// normal number yields no denormal one. So what is left in buffers slows no arithmetic down.
constexpr std::uint64_t kPattern = 0x3f803f803f803f80;

std::span<std::uint64_t> words(std::span<std::byte> bytes) {
  return {reinterpret_cast<std::uint64_t*>(bytes.data()), bytes.size() / sizeof(std::uint64_t)};
}

// Kept from being optimised away without a store of its own.
void keep(std::uint64_t value) { asm volatile("" : : "r"(value)); }

// A loop as wide as the processor can: fewer instructions leave room for more lines on their way.
template <void (*loop)(const Arrays&)>
LINERATE_PLAIN_LOOP void run_plain(const Arrays& slice) {
  loop(slice);
}
template <void (*loop)(const Arrays&)>
LINERATE_PLAIN_LOOP LINERATE_AVX2 void run_avx2(const Arrays& slice) {
  loop(slice);
}
template <void (*loop)(const Arrays&)>
LINERATE_PLAIN_LOOP LINERATE_AVX512 void run_avx512(const Arrays& slice) {
  loop(slice);
}
template <void (*loop)(const Arrays&)>
void widest(const Arrays& slice) {
  if (has_avx512()) return run_avx512<loop>(slice);
  if (has_avx2()) return run_avx2<loop>(slice);
  run_plain<loop>(slice);
}

LINERATE_INLINE void read(const Arrays& slice) {
  std::uint64_t sum = 0;
  for (const auto word : words(slice.a)) sum += word;
  keep(sum);
}

LINERATE_INLINE void read_both(const Arrays& slice) {
  const auto a = words(slice.a);
  const auto b = words(slice.b);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] ^ b[i];
  keep(sum);
}

LINERATE_INLINE void write(const Arrays& slice) {
  for (auto& word : words(slice.a)) word = kPattern;
}

LINERATE_INLINE void copy(const Arrays& slice) {
  const auto from = words(slice.b);
  const auto to = words(slice.a);
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i];
}

LINERATE_INLINE void update(const Arrays& slice) {
  for (auto& word : words(slice.a)) word |= kPattern;
}

LINERATE_INLINE void triad(const Arrays& slice) {
  const auto b = words(slice.b);
  const auto c = words(slice.c);
  const auto to = words(slice.a);
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = b[i] + kScalar * c[i];
}

LINERATE_INLINE void combine(const Arrays& slice) {
  const auto b = words(slice.b);
  const auto c = words(slice.c);
  const auto to = words(slice.a);
  const auto and_to = words(slice.d);
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = and_to[i] = b[i] | c[i];
}

LINERATE_INLINE void merge(const Arrays& slice) {
  const auto a = words(slice.a);
  const auto b = words(slice.b);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = b[i] = a[i] | b[i];
}

// As the host backend does it.
void nt_copy(const Arrays& slice) {
  stream_copy(slice.a.data(), slice.b.data(), slice.a.size());
  end_streaming();
}

#if defined(__x86_64__)
// 16 bytes: what every x86-64 has, and wider stores fill a line no sooner.
__m128i* vectors(std::span<std::byte> bytes) { return reinterpret_cast<__m128i*>(bytes.data()); }
std::size_t nvectors(const Arrays& slice) { return slice.a.size() / sizeof(__m128i); }

void nt_write(const Arrays& slice) {
  const __m128i value = _mm_set1_epi64x(kPattern);
  __m128i* const to = vectors(slice.a);
  for (std::size_t i = 0; i < nvectors(slice); ++i) _mm_stream_si128(to + i, value);
  _mm_sfence();
}

void nt_combine(const Arrays& slice) {
  const __m128i* const b = vectors(slice.b);
  const __m128i* const c = vectors(slice.c);
  __m128i* const to = vectors(slice.a);
  __m128i* const and_to = vectors(slice.d);
  for (std::size_t i = 0; i < nvectors(slice); ++i) {
    const __m128i both = _mm_or_si128(b[i], c[i]);
    _mm_stream_si128(to + i, both);
    _mm_stream_si128(and_to + i, both);
  }
  _mm_sfence();
}
#else
void nt_write(const Arrays& slice) { widest<write>(slice); }
void nt_combine(const Arrays& slice) { widest<combine>(slice); }
#endif

constexpr std::array<Kernel, 11> kKernels{{
    {"read", 1, widest<read>},
    {"read_both", 2, widest<read_both>},
    {"write", 1, widest<write>},
    {"nt_write", 1, nt_write},
    {"copy", 2, widest<copy>},
    {"nt_copy", 2, nt_copy},
    {"update", 2, widest<update>},
    {"triad", 3, widest<triad>},
    {"combine", 4, widest<combine>},
    {"nt_combine", 4, nt_combine},
    {"merge", 4, widest<merge>},
}};

}  // namespace

std::span<const Kernel> all_kernels() { return kKernels; }

const Kernel* find_kernel(std::string_view name) {
  const auto row = std::ranges::find(kKernels, name, &Kernel::name);
  return row == kKernels.end() ? nullptr : &*row;
}

}  // namespace linerate::probe
