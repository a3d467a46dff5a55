// Whether a schedule can run: each stage has all operations that it must have, in an order that it
// can execute, both ends of each stream have its messages in one order, and no operations wait for
// each other in a circle.
#pragma once

#include "trainers/pipeline/schedule.h"

#include <optional>
#include <string>

namespace linerate::trainers {

// A sentence about the first fault, by stage and operation, or nothing. Of any schedule, whoever
// made it.
std::optional<std::string> schedule_fault(const PipelineSchedule& schedule);

}  // namespace linerate::trainers
