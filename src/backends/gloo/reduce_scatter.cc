// See reduce_scatter.h.
#include "backends/gloo/reduce_scatter.h"

#include "backends/gloo/messages.h"
#include "devices/cpu/reduce.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

namespace linerate::gloo {
namespace {

using ::gloo::transport::UnboundBuffer;

constexpr std::size_t kSegmentBytes = std::size_t{256} << 10;
constexpr std::size_t kUnderWay = 8;  // 2 MiB in all: as much as Gloo's ring has

std::size_t segment_bytes(const Op& op) { return std::min(kSegmentBytes, bytes_of_count(op)); }

std::size_t segments_of(const Op& op) {
  return (bytes_of_count(op) + kSegmentBytes - 1) / kSegmentBytes;
}

// Step s brings one segment of this rank's block from one peer, while the same segment of another
// peer's block leaves for it. The last segment of a block may be shorter.
class Exchange {
 public:
  Exchange(::gloo::Context& context, const Op& op, std::byte* scratch)
      : context_(context),
        op_(op),
        in_block_(segments_of(op)),
        nsteps_(in_block_ * static_cast<std::size_t>(context.size - 1)),
        out_(buffer_over(context, op.send)) {
    places_.reserve(kUnderWay);
    for (std::size_t i = 0; i < std::min(nsteps_, kUnderWay); ++i)
      places_.push_back(buffer_over(context, {scratch + i * segment_bytes(op), segment_bytes(op)}));
  }

  void run() {
    for (std::size_t step = 0; step < nsteps_ + places_.size(); ++step) {
      if (step >= places_.size()) finish(step - places_.size());
      if (step < nsteps_) post(step);
    }
    for (std::size_t step = 0; step < nsteps_; ++step) out_->waitSend();
  }

 private:
  int distance(std::size_t step) const { return static_cast<int>(step / in_block_) + 1; }
  std::size_t offset(std::size_t step) const { return step % in_block_ * kSegmentBytes; }
  std::size_t bytes(std::size_t step) const {
    return std::min(kSegmentBytes, bytes_of_count(op_) - offset(step));
  }
  UnboundBuffer& place(std::size_t step) { return *places_[step % places_.size()]; }

  void post(std::size_t step) {
    const auto slot = slot_of(Slots::reduce_scatter);
    const int source = (context_.rank + context_.size - distance(step)) % context_.size;
    const int dest = (context_.rank + distance(step)) % context_.size;
    place(step).recv(source, slot, 0, bytes(step));
    out_->send(dest, slot, block_at(op_, dest) + offset(step), bytes(step));
  }

  // The first peer's segments meet this rank's own input, later ones what is there already.
  void finish(std::size_t step) {
    place(step).waitRecv();
    const std::byte* const own = op_.send.data() + block_at(op_, context_.rank) + offset(step);
    std::byte* const to = op_.recv.data() + offset(step);
    const std::array<const std::byte*, 2> sources{distance(step) == 1 ? own : to,
                                                  static_cast<const std::byte*>(place(step).ptr)};
    reduce(to, sources, bytes(step) / bytes_of(op_.type), {.type = op_.type, .op = op_.op});
  }

  ::gloo::Context& context_;
  const Op& op_;
  std::size_t in_block_;  // segments
  std::size_t nsteps_;
  std::unique_ptr<UnboundBuffer> out_;
  std::vector<std::unique_ptr<UnboundBuffer>> places_;
};

}  // namespace

std::size_t reduce_scatter_scratch(const Op& op, int nranks) {
  const std::size_t nsteps = segments_of(op) * static_cast<std::size_t>(nranks - 1);
  return std::min(nsteps, kUnderWay) * segment_bytes(op);
}

void reduce_scatter(::gloo::Context& context, const Op& op, std::byte* scratch) {
  if (context.size == 1) return copy(op.recv.data(), op.send.data(), bytes_of_count(op));
  Exchange(context, op, scratch).run();
}

}  // namespace linerate::gloo
