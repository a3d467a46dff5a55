#include "base/stream_copy.h"

#include "base/simd.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace linerate {
namespace {

constexpr std::size_t kLine = 64;

#if defined(__x86_64__)
__attribute__((target("avx512f"))) void lines_avx512(char* dst, const char* src,
                                                     std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += kLine)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(dst + i), _mm512_loadu_si512(src + i));
}

__attribute__((target("avx2"))) void lines_avx2(char* dst, const char* src, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += 32)
    _mm256_stream_si256(reinterpret_cast<__m256i*>(dst + i),
                        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(src + i)));
}

void lines_sse2(char* dst, const char* src, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += 16)
    _mm_stream_si128(reinterpret_cast<__m128i*>(dst + i),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(src + i)));
}

using Lines = void (*)(char*, const char*, std::size_t);
Lines best_lines() {
  if (has_avx512()) return lines_avx512;
  return has_avx2() ? lines_avx2 : lines_sse2;
}
#elif defined(__aarch64__)
void lines_neon(char* dst, const char* src, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += kLine)
    asm volatile(
        "ldp q0, q1, [%1]\n\tldp q2, q3, [%1, #32]\n\t"
        "stnp q0, q1, [%0]\n\tstnp q2, q3, [%0, #32]"
        :
        : "r"(dst + i), "r"(src + i)
        : "memory", "v0", "v1", "v2", "v3");
}

using Lines = void (*)(char*, const char*, std::size_t);
Lines best_lines() { return lines_neon; }
#else
void lines_plain(char* dst, const char* src, std::size_t bytes) { std::memcpy(dst, src, bytes); }

using Lines = void (*)(char*, const char*, std::size_t);
Lines best_lines() { return lines_plain; }
#endif

}  // namespace

// Whole lines of dst are streamed; what lies before and after them is copied.
void stream_copy(void* dst, const void* src, std::size_t bytes) {
  static const Lines kLines = best_lines();
  auto* to = static_cast<char*>(dst);
  const auto* from = static_cast<const char*>(src);
  const std::size_t before =
      std::min(bytes, (kLine - reinterpret_cast<std::uintptr_t>(to) % kLine) % kLine);
  const std::size_t middle = (bytes - before) / kLine * kLine;
  std::memcpy(to, from, before);
  kLines(to + before, from + before, middle);
  std::memcpy(to + before + middle, from + before + middle, bytes - before - middle);
}

void end_streaming() {
#if defined(__x86_64__)
  _mm_sfence();
#elif defined(__aarch64__)
  asm volatile("dmb ishst" ::: "memory");
#endif
}

// In pieces: one long instruction was up to 40 % slower where two ranks shared a cache of 32 MiB (8
// MiB each, AMD EPYC of family 25).
void string_copy(void* dst, const void* src, std::size_t bytes) {
#if defined(__x86_64__)
  constexpr std::size_t kPiece = 4096;
  while (bytes > 0) {
    std::size_t piece = std::min(bytes, kPiece);
    bytes -= piece;
    asm volatile("rep movsb" : "+D"(dst), "+S"(src), "+c"(piece) : : "memory");
  }
#else
  std::memcpy(dst, src, bytes);
#endif
}

bool has_fast_strings() {
#if defined(__x86_64__)
  static const bool kHas = [] {
    constexpr unsigned kErms = 1U << 9;  // of EBX of leaf 7
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & kErms) != 0;
  }();
  return kHas;
#else
  return false;
#endif
}

}  // namespace linerate
