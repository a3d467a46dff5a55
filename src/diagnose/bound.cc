// Makes a modelled call of a record's texts.
#include "diagnose/bound.h"

#include "collectives/collective.h"
#include "comm/data_type.h"
#include "comm/red_op.h"

#include <algorithm>

namespace linerate {
namespace {

// The fake's noise: with noise=5% the slowest of 64 ranks takes 1.12 times as long.
constexpr double kHealthyLowBelow = 0.85;

RedOp op_of(const Collective& collective, const Record& record) {
  const auto op = parse_red_op(record.what.redop);
  return collective.reduces && op ? *op : RedOp::max;
}

std::optional<ModeledCall> call_of(const Record& record, const TrafficMatrix* traffic) {
  const auto* collective = find_collective(record.what.collective);
  const auto type = parse_data_type(record.what.type);
  if (collective == nullptr || !type) return std::nullopt;
  return ModeledCall{.collective = collective,
                     .type = *type,
                     .op = op_of(*collective, record),
                     .root = std::max(0, record.what.root),
                     .placement = record.what.placement,
                     .sizing = {.count = record.what.count,
                                .nranks = record.nranks,
                                .traffic = collective->varies ? traffic : nullptr,
                                .type = *type}};
}

}  // namespace

std::optional<Expectation> bound_of(const Record& record, const PerformanceModel* model,
                                    const TrafficMatrix* traffic) {
  const auto& window = record.window;
  if (window.fault_free_us) {
    if (*window.fault_free_us <= 0 || record.busbw_gbps <= 0) return std::nullopt;
    return Expectation{.busbw_gbps = record.busbw_gbps * window.time_us / *window.fault_free_us,
                       .bound_by = "healthy network",
                       .low_below = kHealthyLowBelow};
  }
  if (model == nullptr) return std::nullopt;
  const auto call = call_of(record, traffic);
  return call ? model->bound(*call) : std::nullopt;
}

}  // namespace linerate
