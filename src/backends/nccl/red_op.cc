// See red_op.h.
#include "backends/nccl/red_op.h"

#include <cstring>
#include <type_traits>

namespace linerate::nccl {

static_assert(static_cast<int>(RedOp::sum) == ncclSum && static_cast<int>(RedOp::avg) == ncclAvg);

RedOpHandle::RedOpHandle(const Op& op, const Endpoint& endpoint)
    : endpoint_(endpoint), op_(static_cast<ncclRedOp_t>(op.op)), own_(op.op == RedOp::mulsum) {
  if (!own_) return;
  auto factor = encoded(op.premul, op.type);
  endpoint_.check(endpoint_.api().red_op_create_pre_mul_sum(
                      &op_, factor.data(), static_cast<ncclDataType_t>(op.type),
                      ncclScalarHostImmediate, endpoint_.comm()),
                  "ncclRedOpCreatePreMulSum");
}

RedOpHandle::~RedOpHandle() {
  if (own_) (void)endpoint_.api().red_op_destroy(op_, endpoint_.comm());
}

std::array<std::byte, 8> encoded(double value, DataType type) {
  std::array<std::byte, 8> bytes{};
  with_type(type, [&]<typename T>() {
    if constexpr (std::is_class_v<T>) {
      const T element(static_cast<float>(value));
      std::memcpy(bytes.data(), &element, sizeof element);
    } else {
      const auto element = static_cast<T>(value);
      std::memcpy(bytes.data(), &element, sizeof element);
    }
  });
  return bytes;
}

}  // namespace linerate::nccl
