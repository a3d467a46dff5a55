#include "trainers/parallel/axis.h"

#include "model/wire_bytes.h"

namespace linerate::trainers {

void CountedComm::issue(std::span<const Op> ops, Stream& stream) {
  TracedCall call{.axis = ops.front().tag.axis, .purpose = ops.front().tag.purpose};
  for (const auto& op : ops) call.bytes += wire_bytes(op, rank(), nranks());
  bytes_[{std::string(call.axis), std::string(call.purpose)}] += call.bytes;
  if (within_ != nullptr) {
    within_->bytes += call.bytes;
    return CommDecorator::issue(ops, stream);
  }
  call.start = stream.record();
  CommDecorator::issue(ops, stream);
  call.end = stream.record();
  calls_.push_back(std::move(call));
}

}  // namespace linerate::trainers
