#include "trainers/programs/math_times.h"

#include "base/clock.h"
#include "comm/device.h"
#include "devices/cpu/cpu_device.h"
#include "devices/cpu/math/cpu_math.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <thread>
#include <vector>

namespace linerate {
namespace {

using plan::Kernel;
using plan::KernelKind;

constexpr std::size_t kPoolBytes = std::size_t{24} << 20;
constexpr std::size_t kRopeHead = 64;  // elements that are turned together
constexpr std::size_t kWords = 256;    // rows of an embedding table
constexpr int kLeastCalls = 5, kMostCalls = 200;
constexpr std::int64_t kEnoughNs = 10'000'000;
constexpr DataType kType = DataType::float32;

}  // namespace

// Memory of one thread, handed out anew from a moving begin.
class KernelPool {
 public:
  explicit KernelPool(Device& device) : device_(device) {}

  // Zeros, and room for a call that takes `bytes`, three times over.
  void reserve(std::size_t bytes) {
    const auto wanted = std::max(kPoolBytes, 3 * bytes);
    if (memory_.view().size() < wanted) memory_ = device_.allocate(wanted, MemoryKind::host);
    at_ = 0;
    const auto stream = device_.stream();
    device_.zero(memory_.view(), *stream);
  }

  Array array(std::size_t count) { return {take(count * bytes_of(kType)), kType}; }
  std::byte* take(std::size_t bytes) {
    const auto padded = (bytes + 63) / 64 * 64;
    if (at_ + padded > memory_.view().size()) at_ = 0;
    auto* const begin = memory_.view().data() + at_;
    at_ += padded;
    return begin;
  }

 private:
  Device& device_;
  Buffer memory_;
  std::size_t at_ = 0;
};

namespace {

// Makes one call of a kernel.
class Caller {
 public:
  Caller(Math& math, KernelPool& pool, Stream& stream, const Kernel& kernel)
      : math_(math), pool_(pool), stream_(stream), kernel_(kernel) {}

  void call();

 private:
  std::size_t count() const { return kernel_.m * kernel_.n; }
  Array all() { return pool_.array(count()); }
  void product();
  void attention();
  void elements();
  void rows();
  void embedding();
  void loss();
  Norm norm();

  Math& math_;
  KernelPool& pool_;
  Stream& stream_;
  const Kernel kernel_;
};

void Caller::product() {
  const auto [kind, m, n, k] = kernel_;
  const bool forward = kind == KernelKind::product, weight = kind == KernelKind::product_weight;
  math_.gemm({.m = m,
              .n = n,
              .k = k,
              .a = pool_.array(m * k),
              .b = pool_.array(n * k),
              .c = all(),
              .transpose_a = weight,
              .transpose_b = forward,
              .lda = weight ? m : k,
              .ldb = forward ? k : n,
              .ldc = n,
              .accumulates = weight},
             stream_);
}

void Caller::attention() {
  const auto [kind, length, heads, head] = kernel_;
  const auto width = heads * head;
  const auto qkv = pool_.array(3 * length * width);
  const Attention what{.batch = 1,
                       .length = length,
                       .heads = heads,
                       .kv_heads = heads,
                       .head = head,
                       .stride = 3 * width,
                       .q = qkv,
                       .k = qkv.from(width),
                       .v = qkv.from(2 * width),
                       .o = pool_.array(length * width),
                       .lse = pool_.array(length * heads)};
  if (kind == KernelKind::attention) return math_.attention_forward(what, stream_);
  const auto slopes = pool_.array(3 * length * width);
  math_.attention_backward(what, pool_.array(length * width), slopes, slopes.from(width),
                           slopes.from(2 * width), stream_);
}

Norm Caller::norm() {
  return {.rows = kernel_.m,
          .columns = kernel_.n,
          .x = all(),
          .weight = pool_.array(kernel_.n),
          .bias = pool_.array(kernel_.n),
          .mean = pool_.array(kernel_.m),
          .rstd = pool_.array(kernel_.m)};
}

void Caller::rows() {
  const auto [kind, m, n, k] = kernel_;
  if (kind == KernelKind::norm) return math_.norm_forward(norm(), all(), stream_);
  if (kind == KernelKind::norm_backward)
    return math_.norm_backward(norm(), all(), all(), pool_.array(n), pool_.array(n), stream_);
  if (kind == KernelKind::swiglu)
    return math_.swiglu_forward(all(), pool_.array(2 * count()), m, n, stream_);
  if (kind == KernelKind::swiglu_backward)
    return math_.swiglu_backward(pool_.array(2 * count()), all(), pool_.array(2 * count()), m, n,
                                 stream_);
  if (kind == KernelKind::bias) return math_.add_bias(all(), pool_.array(n), m, n, stream_);
  if (kind == KernelKind::bias_backward)
    return math_.bias_backward(pool_.array(n), all(), m, n, stream_);
  const auto head = n % kRopeHead == 0 ? kRopeHead : n;
  math_.rope(
      {.batch = 1, .length = m, .heads = n / head, .kv_heads = n / head, .head = head, .stride = n},
      all(), n / head, false, stream_);
}

void Caller::elements() {
  const auto kind = kernel_.kind;
  if (kind == KernelKind::gelu) return math_.gelu_forward(all(), all(), count(), stream_);
  if (kind == KernelKind::gelu_backward)
    return math_.gelu_backward(all(), all(), all(), count(), stream_);
  if (kind == KernelKind::add) return math_.add(all(), all(), all(), count(), stream_);
  if (kind == KernelKind::square_sum) {
    SquareSum sum;
    math_.square_sum(&sum, all(), count(), stream_);
    return stream_.synchronize(Deadline::never());
  }
  const auto master = all();
  math_.adamw({.count = count(),
               .master = master,
               .gradient = all(),
               .m = all(),
               .v = all(),
               .parameter = master,
               .lr = 1e-4},
              stream_);
}

void Caller::embedding() {
  const auto [kind, m, n, k] = kernel_;
  std::vector<std::int32_t> tokens(m);
  for (std::size_t i = 0; i < m; ++i) tokens[i] = static_cast<std::int32_t>(i * 37 % kWords);
  const auto table = pool_.array(kWords * n), positions = all(), x = all();
  if (kind == KernelKind::embedding)
    math_.embedding_forward(x, table, positions, tokens, m, n, stream_);
  else
    math_.embedding_backward(table, positions, x, tokens, m, n, stream_);
  stream_.synchronize(Deadline::never());
}

void Caller::loss() {
  const auto [kind, m, n, k] = kernel_;
  const std::vector<std::int32_t> targets(m);
  std::vector<double> losses(m);
  math_.cross_entropy({.rows = m,
                       .vocabulary = n,
                       .stride = n,
                       .logits = all(),
                       .targets = targets.data(),
                       .losses = losses.data()},
                      1, stream_);
  stream_.synchronize(Deadline::never());
}

void Caller::call() {
  switch (kernel_.kind) {
    case KernelKind::product:
    case KernelKind::product_input:
    case KernelKind::product_weight:
      return product();
    case KernelKind::attention:
    case KernelKind::attention_backward:
      return attention();
    case KernelKind::gelu:
    case KernelKind::gelu_backward:
    case KernelKind::add:
    case KernelKind::adamw:
    case KernelKind::square_sum:
      return elements();
    case KernelKind::embedding:
    case KernelKind::embedding_backward:
      return embedding();
    case KernelKind::loss:
      return loss();
    case KernelKind::norm:
    case KernelKind::norm_backward:
    case KernelKind::swiglu:
    case KernelKind::swiglu_backward:
    case KernelKind::bias:
    case KernelKind::bias_backward:
    case KernelKind::rope:
      return rows();
  }
}

std::size_t bytes_of_kernel(const Kernel& kernel) {
  return static_cast<std::size_t>(plan::elements_of(kernel)) * 2 * bytes_of(kType) +
         kWords * kernel.n * bytes_of(kType);
}

std::int64_t timed_ns(Caller& caller, Stream& stream, const Clock& clock) {
  const auto start_ns = clock.now_ns();
  caller.call();
  stream.synchronize(Deadline::never());
  return clock.now_ns() - start_ns;
}

// The lower quartile: what took longer was interrupted.
double usual_us(Caller& caller, Stream& stream, const Clock& clock) {
  std::vector<std::int64_t> taken;
  std::int64_t sum_ns = 0;
  while (std::ssize(taken) < kLeastCalls || (sum_ns < kEnoughNs && std::ssize(taken) < kMostCalls))
    sum_ns += taken.emplace_back(timed_ns(caller, stream, clock));
  const auto quartile = taken.begin() + std::ssize(taken) / 4;
  std::ranges::nth_element(taken, quartile);
  return static_cast<double>(*quartile) / 1e3;
}

}  // namespace

std::vector<double> math_times_us(const std::vector<Kernel>& kernels, int threads) {
  const SteadyClock clock;
  std::vector<double> times;
  std::atomic<std::size_t> measured{0};
  std::barrier all_ready(threads);
  const auto work = [&](bool measures) {
    const auto device = make_cpu_device(0, clock);
    const auto math = make_cpu_math();
    const auto stream = device->stream();
    KernelPool pool(*device);
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      pool.reserve(bytes_of_kernel(kernels[i]));
      Caller caller(*math, pool, *stream, kernels[i]);
      caller.call();
      all_ready.arrive_and_wait();
      while (!measures && measured.load(std::memory_order_relaxed) <= i) caller.call();
      if (!measures) continue;
      times.push_back(usual_us(caller, *stream, clock));
      measured.store(i + 1, std::memory_order_relaxed);
    }
  };
  std::vector<std::jthread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(work, false);
  work(true);
  return times;
}

}  // namespace linerate
