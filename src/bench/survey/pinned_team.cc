// Each thread goes over pieces of memory in turn, so that each piece comes back after all others.
#include "bench/survey/pinned_team.h"

#include "bench/probe/cores.h"
#include "bench/probe/parts.h"
#include "bench/probe/timed_passes.h"

#include <algorithm>
#include <future>
#include <map>

namespace linerate {
namespace {

constexpr std::size_t kPassBytes = std::size_t{4} << 20;  // of a thread
constexpr std::size_t kPasses = 7;
constexpr std::size_t kMaxArrays = 3;

// As many equal parts of `piece` as the kernel names arrays.
probe::Arrays arrays_in(View piece, std::size_t narrays) {
  const auto bytes = round_down(piece.size() / narrays, kLineBytes);
  const auto part = [&](std::size_t i) {
    return i < narrays ? piece.subspan(i * bytes, bytes) : View();
  };
  return {.a = part(0), .b = part(1), .c = part(2)};
}

std::size_t narrays_of(const probe::Kernel& kernel) {
  if (kernel.name == "update") return 1;  // counts what it reads and what it writes
  return std::min(kernel.moved, kMaxArrays);
}

// The first `bytes` of `block` in pieces of a pass at most.
std::vector<View> pieces_of(View block, std::size_t bytes) {
  const auto parts = probe::parts_of(bytes, kPassBytes);
  std::vector<View> pieces;
  for (std::size_t i = 0; i < parts.count; ++i)
    pieces.push_back(block.subspan(i * parts.bytes, parts.bytes));
  return pieces;
}

// What one thread does; yields the bytes of one pass, the same in each.
class Worker {
 public:
  Worker(const probe::Kernel& kernel, const std::vector<View>& pieces)
      : kernel_(kernel), pieces_(pieces) {}

  // So that each piece comes back after all others.
  void go_through_once() const {
    const auto& read = *probe::find_kernel("read");
    for (const auto piece : pieces_) read.run({.a = piece, .b = {}, .c = {}});
  }
  void pass() {
    const auto arrays = arrays_in(pieces_[next_++ % pieces_.size()], narrays_of(kernel_));
    for (std::size_t loop = 0; loop < loops(); ++loop) kernel_.run(arrays);
  }
  double bytes() const {
    const auto arrays = arrays_in(pieces_.front(), narrays_of(kernel_));
    return static_cast<double>(arrays.a.size() * loops() * kernel_.moved);
  }

 private:
  std::size_t loops() const { return kPassBytes / pieces_.front().size(); }

  const probe::Kernel& kernel_;
  const std::vector<View>& pieces_;
  std::size_t next_ = 0;
};

}  // namespace

std::vector<std::vector<std::size_t>> shared_out(const std::vector<HardwareThread>& threads,
                                                 std::size_t nworkers) {
  std::map<int, std::vector<std::size_t>> workers_of;  // memory node
  for (std::size_t worker = 0; worker < nworkers; ++worker)
    workers_of[threads[worker].numa_node].push_back(worker);
  std::vector<std::vector<std::size_t>> shares(nworkers);
  std::map<int, std::size_t> dealt;
  for (std::size_t block = 0; block < threads.size(); ++block) {
    const auto workers = workers_of.find(threads[block].numa_node);
    if (workers == workers_of.end()) continue;
    const auto turn = dealt[threads[block].numa_node]++;
    shares[workers->second[turn % workers->second.size()]].push_back(block);
  }
  return shares;
}

PinnedTeam::PinnedTeam(std::vector<HardwareThread> threads, std::size_t block_bytes, Device& host,
                       const Clock& clock)
    : threads_(std::move(threads)), clock_(clock), blocks_(threads_.size()) {
  std::vector<std::future<Buffer>> touched;
  for (const auto& thread : threads_)
    touched.push_back(std::async(std::launch::async, [this, &thread, block_bytes, &host] {
      if (!probe::pin_to(thread.os_index)) ++unbound_;
      return host.allocate(block_bytes, MemoryKind::host);
    }));
  for (std::size_t i = 0; i < touched.size(); ++i) blocks_[i] = touched[i].get();
}

double PinnedTeam::own_gbps(const probe::Kernel& kernel, std::size_t bytes) {
  std::vector<Pieces> pieces;
  for (const auto& block : blocks_)
    pieces.push_back(pieces_of(block.view(), std::min(bytes, block.bytes())));
  return gbps(kernel, pieces);
}

double PinnedTeam::shared_gbps(const probe::Kernel& kernel, std::size_t nworkers) {
  std::vector<Pieces> pieces;
  for (const auto& share : shared_out(threads_, nworkers)) {
    pieces.emplace_back();
    for (const auto block : share)
      for (const auto piece : pieces_of(blocks_[block].view(), blocks_[block].bytes()))
        pieces.back().push_back(piece);
  }
  return gbps(kernel, pieces);
}

double PinnedTeam::gbps(const probe::Kernel& kernel, const std::vector<Pieces>& pieces) {
  std::vector<Worker> workers;
  for (const auto& of_thread : pieces) workers.emplace_back(kernel, of_thread);
  const auto spans =
      probe::timed_passes({.nthreads = pieces.size(),
                           .npasses = kPasses,
                           .prepare =
                               [&](std::size_t thread) {
                                 // Whether it can be was counted when its memory was touched.
                                 (void)probe::pin_to(threads_[thread].os_index);
                                 workers[thread].go_through_once();
                               },
                           .pass = [&](std::size_t thread) { workers[thread].pass(); }},
                          clock_);
  double bytes = 0, best = 0;
  for (const auto& worker : workers) bytes += worker.bytes();
  for (std::size_t pass = 0; pass < kPasses; ++pass)
    best = std::max(best, probe::pass_gbps(spans, pass, bytes));
  return best;
}

}  // namespace linerate
