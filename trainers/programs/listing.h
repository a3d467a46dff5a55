// --list: what can be trained, on what, over what.
#pragma once

#include <string>

namespace linerate {

// A line for each model, source of data and backend.
std::string trainer_list_text();

}  // namespace linerate
