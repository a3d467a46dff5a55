// Each kernel does to memory what its name says.
#include "bench/probe/kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace linerate::probe {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::uint64_t kPattern = 0x3f803f803f803f80;

struct alignas(kLine) Line {
  std::uint64_t words[kLine / sizeof(std::uint64_t)];
};

// Four arrays of two lines: a is 1, b is 10 and up, c is 100 and up, d is 0.
class ProbeKernels : public testing::TestWithParam<std::string_view> {
 protected:
  ProbeKernels() : a_(2), b_(2), c_(2), d_(2) {
    for (std::uint64_t i = 0; i < kWords; ++i) {
      word(a_, i) = 1;
      word(b_, i) = 10 + i;
      word(c_, i) = 100 + i;
    }
  }
  static constexpr std::uint64_t kWords = 16;
  static std::uint64_t& word(std::vector<Line>& lines, std::uint64_t i) {
    return lines[i / 8].words[i % 8];
  }
  void run(std::string_view name) {
    const auto bytes = [](std::vector<Line>& lines) {
      return std::as_writable_bytes(std::span(lines));
    };
    find_kernel(name)->run({bytes(a_), bytes(b_), bytes(c_), bytes(d_)});
  }

  std::vector<Line> a_, b_, c_, d_;
};

TEST_F(ProbeKernels, ThatReadChangeNothing) {
  run("read");
  run("read_both");

  for (std::uint64_t i = 0; i < kWords; ++i) {
    EXPECT_EQ(word(a_, i), 1U);
    EXPECT_EQ(word(b_, i), 10 + i);
  }
}

TEST_F(ProbeKernels, ThatWriteReachEveryWord) {
  for (const auto* name : {"write", "nt_write"}) {
    for (std::uint64_t i = 0; i < kWords; ++i) word(a_, i) = 1;

    run(name);

    for (std::uint64_t i = 0; i < kWords; ++i) EXPECT_EQ(word(a_, i), kPattern) << name;
  }
}

TEST_F(ProbeKernels, ThatCopyTakeTheSecondArray) {
  for (const auto* name : {"copy", "nt_copy"}) {
    for (std::uint64_t i = 0; i < kWords; ++i) word(a_, i) = 1;

    run(name);

    for (std::uint64_t i = 0; i < kWords; ++i) EXPECT_EQ(word(a_, i), 10 + i) << name;
  }
}

TEST_F(ProbeKernels, ThatUpdateKeepWhatIsThere) {
  run("update");

  for (std::uint64_t i = 0; i < kWords; ++i) EXPECT_EQ(word(a_, i), kPattern | 1U);
}

// Denormal numbers would slow down what comes after a probe in the same buffers.
TEST_F(ProbeKernels, LeaveNormalNumbersOfEachWidth) {
  run("write");

  const auto words = std::as_bytes(std::span(a_));
  double doubles[kWords];
  float floats[2 * kWords];
  std::memcpy(doubles, words.data(), sizeof doubles);
  std::memcpy(floats, words.data(), sizeof floats);

  for (const double value : doubles) EXPECT_TRUE(std::isnormal(value));
  for (const float value : floats) EXPECT_TRUE(std::isnormal(value));
}

TEST_F(ProbeKernels, ThatCombineWriteTheResultTwice) {
  for (const auto* name : {"combine", "nt_combine"}) {
    for (std::uint64_t i = 0; i < kWords; ++i) word(a_, i) = word(d_, i) = 0;

    run(name);

    for (std::uint64_t i = 0; i < kWords; ++i) {
      EXPECT_EQ(word(a_, i), (10 + i) | (100 + i)) << name;
      EXPECT_EQ(word(d_, i), (10 + i) | (100 + i)) << name;
    }
  }
}

TEST_F(ProbeKernels, ThatMergeOverwriteBothInputs) {
  run("merge");

  for (std::uint64_t i = 0; i < kWords; ++i) {
    EXPECT_EQ(word(a_, i), 1 | (10 + i));
    EXPECT_EQ(word(b_, i), 1 | (10 + i));
  }
}

TEST_F(ProbeKernels, OfTriadsAddAMultiple) {
  run("triad");

  for (std::uint64_t i = 0; i < kWords; ++i) EXPECT_EQ(word(a_, i), 10 + i + 3 * (100 + i));
}

TEST(ProbeKernelNames, AreKnownOrNull) {
  EXPECT_EQ(all_kernels().size(), 11U);
  EXPECT_EQ(find_kernel("scale"), nullptr);
}

}  // namespace
}  // namespace linerate::probe
