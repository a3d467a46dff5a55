// The bootstrap of a job that is one process.
#pragma once

#include "comm/bootstrap.h"

#include <memory>

namespace linerate {

std::unique_ptr<Bootstrap> solo_bootstrap();

}  // namespace linerate
