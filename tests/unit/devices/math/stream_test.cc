// Work on a stream's own thread, and on two threads at once, gives the bits of the calling thread.
#include "unit/devices/math/math_fixture.h"

#include <thread>

namespace linerate::math_test {
namespace {

constexpr std::size_t kRows = 61, kColumns = 40;

// What a block of a model does, on any stream; yields the last result.
Values forward(Math& math, Stream& stream) {
  const auto floats = [](std::size_t count, unsigned seed) {
    return Tensor(DataType::float32, random_values(count, seed));
  };
  Tensor x = floats(kRows * kColumns, 1), w = floats(kColumns * kColumns, 2);
  Tensor weight = floats(kColumns, 3), y = floats(kRows * kColumns, 4);
  Tensor normal = floats(kRows * kColumns, 5), rstd = floats(kRows, 6);
  math.norm_forward({.kind = NormKind::rms,
                     .rows = kRows,
                     .columns = kColumns,
                     .x = x.array(),
                     .weight = weight.array(),
                     .rstd = rstd.array()},
                    normal.array(), stream);
  math.gemm({.m = kRows,
             .n = kColumns,
             .k = kColumns,
             .a = normal.array(),
             .b = w.array(),
             .c = y.array(),
             .lda = kColumns,
             .ldb = kColumns,
             .ldc = kColumns},
            stream);
  math.gelu_forward(y.array(), y.array(), y.count(), stream);
  stream.synchronize(Deadline::never());
  return y.values();
}

class MathOnStreams : public Doubles {};

TEST_F(MathOnStreams, HasTheSameBitsOnAWorkerThread) {
  SteadyClock clock;
  const auto device = make_cpu_device(0, clock);
  const auto async = device->open_stream(StreamKind::async);

  EXPECT_EQ(forward(math(), *async), forward(math(), stream()));
}

TEST_F(MathOnStreams, HasTheSameBitsOnTwoThreadsAtOnce) {
  const Values expected = forward(math(), stream());
  Values results[2];
  std::vector<std::thread> threads;
  for (Values& result : results)
    threads.emplace_back([&result] {
      Fixture own;
      for (int i = 0; i < 20; ++i) result = forward(own.math(), own.stream());
    });
  for (auto& thread : threads) thread.join();

  EXPECT_EQ(results[0], expected);
  EXPECT_EQ(results[1], expected);
}

}  // namespace
}  // namespace linerate::math_test
