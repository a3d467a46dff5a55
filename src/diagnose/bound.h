// How fast a result should be.
#pragma once

#include "model/model.h"
#include "record/record.h"

#include <optional>

namespace linerate {

// From the fault-free time, where the backend knows it: then a healthy run loses nothing but noise.
// Else from `model`, which may be null, for results of collectives without groups; `traffic` is
// that of all_to_all_v. Nothing where the bound is not known, or the result has no bandwidth.
std::optional<Expectation> bound_of(const Record& record, const PerformanceModel* model,
                                    const TrafficMatrix* traffic);

}  // namespace linerate
