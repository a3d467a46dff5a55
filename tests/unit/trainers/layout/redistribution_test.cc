// Random tensors on random meshes through random chains of layouts, ranks being threads: each part
// is what the whole tensor says, and the bytes sent are those of the closed form.
#include "trainers/layout/redistribution.h"

#include "backends/host/host_backend.h"
#include "comm/comm_decorator.h"
#include "support/naive.h"
#include "support/ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <string>

namespace linerate::trainers {
namespace {

constexpr int kMeshes = 40, kChains = 6, kChanges = 5;
constexpr std::size_t kMostRanks = 12;

struct Chain {
  DataType type = DataType::float32;
  std::vector<std::size_t> shape{};
  std::vector<std::vector<Placement>> layouts{};  // the first one as the tensor comes
};

struct RandomTensors {
  Mesh mesh{{}};
  std::vector<Chain> chains{};
};

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}

  std::size_t below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(engine_);
  }
  template <typename T, std::size_t N>
  T one_of(const T (&choices)[N]) {
    return choices[below(N)];
  }
  RandomTensors tensors() {
    std::vector<MeshAxis> axes;
    std::size_t nranks = 1;
    for (std::size_t i = 0, count = 1 + below(3); i < count; ++i) {
      const auto most = std::min<std::size_t>(count == 1 ? 7 : 3, kMostRanks / nranks);
      axes.push_back({std::string(1, static_cast<char>('a' + i)), 1 + below(most)});
      nranks *= axes.back().size;
    }
    RandomTensors tensors{.mesh = Mesh(axes)};
    for (int i = 0; i < kChains; ++i) tensors.chains.push_back(chain(axes.size()));
    return tensors;
  }

 private:
  Placement placement(std::size_t dims, bool may_be_partial) {
    const auto choice = below(dims + (may_be_partial ? 3 : 1));
    return choice < dims ? shard(choice) : choice == dims ? replicate() : partial();
  }
  // What is partial stays so in a third of the changes.
  Chain chain(std::size_t naxes) {
    Chain chain{.type = one_of({DataType::float32, DataType::float64, DataType::int32})};
    for (std::size_t i = 0, dims = 1 + below(3); i < dims; ++i)
      chain.shape.push_back(one_of<std::size_t>({1, 2, 3, 4, 5, 7, 8, 11, 13}));
    auto& layouts = chain.layouts;
    layouts.emplace_back();
    for (std::size_t axis = 0; axis < naxes; ++axis)
      layouts[0].push_back(placement(chain.shape.size(), true));
    for (int i = 0; i < kChanges; ++i) {
      auto next = layouts.back();
      for (auto& placement_of_axis : next)
        if (placement_of_axis != partial() || below(3) > 0)
          placement_of_axis = placement(chain.shape.size(), false);
      layouts.push_back(std::move(next));
    }
    return chain;
  }

  std::mt19937 engine_;
};

std::size_t count_of(const std::vector<std::size_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

// The term that the rank at these places of the axes that were partial has of an element.
double term(std::size_t element, std::size_t places) {
  return static_cast<double>((element * 7919 + places * 104729) % 31) - 15;
}

// What a rank must hold of an element: its own term along the axes that are partial still, the sum
// of all terms along those that were.
double expected(const Mesh& mesh, const Chain& chain, const std::vector<Placement>& now,
                std::size_t rank, std::size_t element) {
  double sum = 0;
  for (std::size_t other = 0; other < mesh.nranks(); ++other) {
    bool counts = true;
    std::size_t places = 0;
    for (std::size_t axis = 0; axis < mesh.axes().size(); ++axis) {
      const bool summed = chain.layouts[0][axis] == partial() && now[axis] != partial();
      counts &= summed || mesh.coordinate(other, axis) == mesh.coordinate(rank, axis);
      if (chain.layouts[0][axis] == partial())
        places = places * 16 + mesh.coordinate(other, axis) + 1;
    }
    if (counts) sum += term(element, places);
  }
  return sum;
}

// Elements of the tensor that a box holds, in its order, by another way than the code's: all
// elements that lie in it.
std::vector<std::size_t> elements_of(const Box& box, const std::vector<std::size_t>& shape) {
  std::vector<std::size_t> elements;
  for (std::size_t element = 0; element < count_of(shape); ++element) {
    bool inside = true;
    for (auto dim = shape.size(), rest = element; dim-- > 0; rest /= shape[dim]) {
      const auto index = rest % shape[dim];
      inside &= index >= box.offset[dim] && index < box.offset[dim] + box.shape[dim];
    }
    if (inside) elements.push_back(element);
  }
  return elements;
}

// Counts what no algorithm sends less of.
class CountingComm final : public CommDecorator {
 public:
  using CommDecorator::CommDecorator;

  std::uint64_t bytes() const { return bytes_; }

 private:
  void issue(std::span<const Op> ops, Stream& stream) override {
    for (const auto& op : ops) bytes_ += sends(op) * bytes_of(op.type);
    CommDecorator::issue(ops, stream);
  }
  std::uint64_t sends(const Op& op) const {
    const auto n = static_cast<std::uint64_t>(nranks());
    std::uint64_t count = 0;
    for (std::size_t peer = 0; peer < op.send_ranges.size(); ++peer)
      if (static_cast<int>(peer) != rank()) count += op.send_ranges[peer].count;
    if (op.kind == OpKind::all_to_all_v) return count;
    return op.kind == OpKind::all_reduce ? (op.count + n - 1) / n * 2 * (n - 1)
                                         : op.count * (n - 1);
  }
  std::unique_ptr<Communicator> decorate(std::unique_ptr<Communicator> part) const override {
    return part;
  }

  std::uint64_t bytes_ = 0;
};

// A rank of a mesh with a counted communicator for each axis.
class RankOfMesh {
 public:
  RankOfMesh(RankOfBackend& rank, const Mesh& mesh)
      : mesh_(mesh),
        rank_(static_cast<std::size_t>(rank.number())),
        stream_(rank.stream),
        arena_(rank.comm) {
    for (std::size_t axis = 0; axis < mesh.axes().size(); ++axis) {
      comms_.push_back(rank.comm.split(static_cast<int>(mesh.group(rank_, axis)),
                                       static_cast<int>(mesh.coordinate(rank_, axis))));
      counted_.push_back(std::make_unique<CountingComm>(*comms_.back()));
      axes_.push_back(counted_.back().get());
    }
  }

  // The first difference, or nothing.
  std::optional<std::string> run(const Chain& chain) {
    const auto& first = chain.layouts[0];
    const auto held = elements_of(box_at(chain, first), chain.shape);
    auto part = arena_.allocate(Category::comm, chain.type, held.size());
    for (std::size_t i = 0; i < held.size(); ++i)
      naive::put(part.data(), chain.type, i, expected(mesh_, chain, first, rank_, held[i]));
    for (std::size_t i = 1; i < chain.layouts.size(); ++i) {
      const Layout from{.shape = chain.shape, .placements = chain.layouts[i - 1]};
      const auto& to = chain.layouts[i];
      const auto before = sent();
      part = redistribute(from, to, part.array(chain.type), tools());
      if (auto what = difference(chain, to, part)) return what;
      const auto sends = redistribution_sends(from, to, mesh_, rank_) * bytes_of(chain.type);
      if (sent() - before != sends)
        return fmt::format("rank {} sent {} bytes, not {}", rank_, sent() - before, sends);
    }
    return {};
  }

 private:
  RedistributionTools tools() {
    return {.mesh = mesh_, .rank = rank_, .axes = axes_, .arena = arena_, .stream = stream_};
  }
  Box box_at(const Chain& chain, const std::vector<Placement>& placements) const {
    return box_of({.shape = chain.shape, .placements = placements}, mesh_, rank_);
  }
  std::uint64_t sent() const {
    std::uint64_t bytes = 0;
    for (const auto& comm : counted_) bytes += comm->bytes();
    return bytes;
  }
  std::optional<std::string> difference(const Chain& chain, const std::vector<Placement>& now,
                                        const Block& part) const {
    const auto held = elements_of(box_at(chain, now), chain.shape);
    if (part.bytes() != held.size() * bytes_of(chain.type))
      return fmt::format("rank {} holds {} bytes", rank_, part.bytes());
    for (std::size_t i = 0; i < held.size(); ++i) {
      const auto got = naive::get(part.data(), chain.type, i);
      const auto want = expected(mesh_, chain, now, rank_, held[i]);
      if (got != want)
        return fmt::format("rank {}: element {} is {}, not {}", rank_, held[i], got, want);
    }
    return {};
  }

  const Mesh& mesh_;
  const std::size_t rank_;
  Stream& stream_;
  Arena arena_;
  std::vector<std::unique_ptr<Communicator>> comms_;
  std::vector<std::unique_ptr<CountingComm>> counted_;
  std::vector<Communicator*> axes_;
};

TEST(Redistribute, OfAnyTensorOnAnyMeshIsWhatTheWholeTensorSays) {
  const SteadyClock clock;
  for (unsigned seed = 0; seed < kMeshes; ++seed) {
    const auto tensors = Random(seed).tensors();
    const auto backend = make_host_backend(clock, {.reserve_bytes = std::size_t{256} << 20});
    std::mutex mutex;
    run_ranks(*backend, static_cast<int>(tensors.mesh.nranks()), [&](RankOfBackend& backend_rank) {
      RankOfMesh rank(backend_rank, tensors.mesh);
      for (std::size_t i = 0; i < tensors.chains.size(); ++i) {
        const auto what = rank.run(tensors.chains[i]);
        if (!what) continue;
        const std::lock_guard lock(mutex);
        ADD_FAILURE() << "seed " << seed << ", chain " << i << ": " << *what;
      }
    });
  }
}

}  // namespace
}  // namespace linerate::trainers
