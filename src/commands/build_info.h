// Which build of linerate this is.
#pragma once

#include "record/record.h"

namespace linerate {

// From the build; written by cmake/build_info.cmake into the one file that changes with a commit.
BuildInfo build_info();

}  // namespace linerate
