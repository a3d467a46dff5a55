// A plan as a table for people, as an explanation of one layout, and as JSON.
#pragma once

#include "plan/plan.h"

#include <string>

namespace linerate::plan {

std::string plan_text(const Plan& plan, const Task& task, const Machine& machine);
std::string plan_json(const Plan& plan, const Task& task, const Machine& machine);
// Of one layout: what its step is made of, on which axis, what it holds.
std::string explanation_text(const Candidate& candidate, const Machine& machine);
std::string explanation_json(const Candidate& candidate, const Machine& machine);

// Model FLOPs, without what is computed again, over the peak of all ranks; 0: no peak is known.
double mfu_of(const Candidate& candidate, const Machine& machine);

}  // namespace linerate::plan
