// The messages between chunks: which there are, and where they stand in the lists of both stages.
#pragma once

#include "trainers/pipeline/schedule.h"

namespace linerate::trainers {

// Such an operation of the stage, with the peer of a message: -1 where there is no such message, at
// both ends of the model, and where one stage has all chunks.
Operation operation_of(const Pipeline& pipeline, int stage, Action action, int micro_batch,
                       int chunk);
// The same message as its peer has it. REQUIRES: it is one.
Operation other_end(const Pipeline& pipeline, int stage, const Operation& message);

// Adds sends and receives to lists of computations. A send follows the computation whose result it
// sends. A receive stands one computation ahead of the one that needs it, so that the message is
// under way during that; and earlier where a later message of its stream is needed before it.
// So computations wait for each other in a circle only if they did without messages.
void add_messages(PipelineSchedule& schedule);

}  // namespace linerate::trainers
