// Why NCCL does not use an algorithm with a protocol, in words.
#pragma once

#include "topo/model/predict.h"

#include <string>

namespace linerate::topo {

// A phrase such as "NCCL_ALGO=Ring"; empty: it is used. Holds exactly where predict_way() yields
// nothing.
std::string why_unused(const Predictor& predictor, const Scheme& scheme, const Reduced& what = {});

}  // namespace linerate::topo
