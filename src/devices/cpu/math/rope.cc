// Rotary position embedding from a table of the positions' rotations.
#include "devices/cpu/math/elements.h"
#include "devices/cpu/math/kernels.h"
#include "devices/cpu/math/vector.h"

#include <cmath>
#include <complex>
#include <utility>
#include <vector>

namespace linerate::cpu {
namespace {

constexpr double kBase = 10000;
constexpr std::size_t kStride = 32;  // positions whose rotations one exact one is turned by

// cos and sin of position * frequency, for each position and pair: a rotation is that of the next
// lower multiple of kStride, turned on, which is as exact and takes a hundredth of the time. Its
// bits are those of the position alone.
template <typename W>
struct Rotations {
  Rotations(const Attention& shape, std::size_t pairs)
      : cos(shape.length * pairs), sin(shape.length * pairs) {
    std::vector<std::complex<double>> fine(kStride);
    for (std::size_t i = 0; i < pairs; ++i) {
      const double frequency =
          std::pow(kBase, -static_cast<double>(i) / static_cast<double>(pairs));
      for (std::size_t p = 0; p < kStride; ++p)
        fine[p] = std::polar(1.0, static_cast<double>(p) * frequency);
      std::complex<double> coarse;
      for (std::size_t row = 0, turned = 0; row < shape.length; ++row) {
        const std::size_t p =
            shape.positions.empty() ? row : static_cast<std::size_t>(shape.positions[row]);
        if (p - p % kStride != std::exchange(turned, p - p % kStride) || row == 0)
          coarse = std::polar(1.0, static_cast<double>(turned) * frequency);
        const double a = coarse.real(), b = coarse.imag();
        const double c = fine[p % kStride].real(), d = fine[p % kStride].imag();
        cos[row * pairs + i] = static_cast<W>(a * c - b * d);
        sin[row * pairs + i] = static_cast<W>(a * d + b * c);
      }
    }
  }
  Scratch<W> cos, sin;
};

// Turns the pairs of one head by the rotations of its position.
template <typename S, typename T, typename W>
LINERATE_INLINE void turn(T* x, std::size_t pairs, const W* cos, const W* sin, W sign) {
  each_vector<S>(pairs, [&](std::size_t i, std::size_t lanes) LINERATE_KERNEL {
    const auto a = S::load(x + i, lanes), b = S::load(x + pairs + i, lanes);
    const auto c = S::load(cos + i, lanes), s = S::load(sin + i, lanes) * sign;
    S::store(x + i, a * c - b * s, lanes);
    S::store(x + pairs + i, b * c + a * s, lanes);
  });
}

}  // namespace

void rope(const Attention& shape, Array x, std::size_t heads, bool inverse) {
  with_float(x.type, [&]<typename T>() {
    using W = Wide<T>;
    const std::size_t pairs = shape.head / 2;
    const Rotations<W> rotations(shape, pairs);
    vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL {
      for (std::size_t r = 0; r < shape.batch * shape.length; ++r) {
        const std::size_t at = r % shape.length * pairs;
        for (std::size_t h = 0; h < heads; ++h)
          turn<Simd<W, Isa>>(elements<T>(x) + r * shape.stride + h * shape.head, pairs,
                             rotations.cos.data() + at, rotations.sin.data() + at,
                             inverse ? W(-1) : W(1));
      }
    });
  });
}

}  // namespace linerate::cpu
