// The version of NCCL whose behaviour is asked for.
#pragma once

#include "base/result.h"

#include <compare>
#include <string>
#include <string_view>

namespace linerate::topo {

struct NcclVersion {
  int major = 2;
  int minor = 28;
  int patch = 9;

  auto operator<=>(const NcclVersion&) const = default;
};

// The versions that the model has tables for; the lowest stands for what is older.
inline constexpr NcclVersion kOldestModelled{2, 18, 0};
inline constexpr NcclVersion kNewestModelled{2, 30, 7};

// "2.28", "2.28.9"; without a patch level it is the last one of that minor version. Refuses what
// the model has no tables for.
Result<NcclVersion> parse_nccl_version(std::string_view text);

std::string text_of(const NcclVersion& version);  // "2.28.9"

// As ncclGetVersion() tells it since 2.9: 22809 is 2.28.9.
NcclVersion version_of_code(int code);
int code_of(const NcclVersion& version);

}  // namespace linerate::topo
