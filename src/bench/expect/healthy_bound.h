// How fast a result would be if nothing were wrong, where the backend itself knows.
#pragma once

#include "record/record.h"

#include <optional>

namespace linerate {

// `healthy_us`: what the record's time would be without what its ranks lost (see
// Communicator::modeled_time), combined over the ranks as that is. Nothing where the record has no
// bandwidth, as that of one rank.
std::optional<Expectation> healthy_bound(const Record& record, double healthy_us);

}  // namespace linerate
