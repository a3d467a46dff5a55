// Every kind of content that kernels make, for tests against the host's generator.
#pragma once

#include "comm/content.h"

#include <vector>

namespace linerate::cuda {

inline std::vector<Content> all_contents() {
  std::vector<Content> contents;
  for (const auto& type : kDataTypes)
    for (const auto& op : kRedOps)
      for (const auto kind :
           {Content::Kind::input, Content::Kind::reduction, Content::Kind::poison})
        contents.push_back({.kind = kind,
                            .type = type.type,
                            .op = op.op,
                            .rank = 2,
                            .nranks = 7,
                            .seed = 5,
                            .first_index = 4000});
  return contents;
}

}  // namespace linerate::cuda
