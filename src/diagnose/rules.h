// The rules of diagnose(): one function and one file each, listed in rules.cc.
#pragma once

#include "diagnose/diagnose.h"

#include <vector>

namespace linerate::rules {

std::vector<Finding> unstable_machine(const Evidence& evidence);
std::vector<Finding> above_bound(const Evidence& evidence);
std::vector<Finding> below_bound(const Evidence& evidence);
std::vector<Finding> late_rank(const Evidence& evidence);
std::vector<Finding> slow_node(const Evidence& evidence);
std::vector<Finding> slow_component(const Evidence& evidence);

// The result that is low and furthest below its bound; null: none is low.
const Record* lowest_of_low(const Evidence& evidence);

}  // namespace linerate::rules
