#include "topo/version.h"

#include "base/text.h"

#include <fmt/format.h>

namespace linerate::topo {
namespace {

// The last patch level, for a version given without one.
constexpr int kLastPatch = 99;

Failure no_version(std::string_view text) {
  return Failure{fmt::format("'{}' is no version of NCCL with a model: give {}.{} to {}.{}.", text,
                             kOldestModelled.major, kOldestModelled.minor, kNewestModelled.major,
                             kNewestModelled.minor)};
}

constexpr int kMajor = 10'000, kMinor = 100;  // in a code

}  // namespace

Result<NcclVersion> parse_nccl_version(std::string_view text) {
  constexpr std::size_t kFewestParts = 2, kMaxParts = 3;
  const auto parts = split(text, '.');
  if (parts.size() < kFewestParts || parts.size() > kMaxParts) return no_version(text);
  int numbers[kMaxParts] = {0, 0, kLastPatch};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto number = parse_integer("version", parts[i]);
    if (!number || *number < 0 || *number > kLastPatch) return no_version(text);
    numbers[i] = static_cast<int>(*number);
  }
  const NcclVersion version{numbers[0], numbers[1], numbers[2]};
  const NcclVersion newest{kNewestModelled.major, kNewestModelled.minor, kLastPatch};
  if (version < kOldestModelled || version > newest) return no_version(text);
  return version;
}

std::string text_of(const NcclVersion& version) {
  constexpr int kLast = kLastPatch;
  if (version.patch == kLast) return fmt::format("{}.{}", version.major, version.minor);
  return fmt::format("{}.{}.{}", version.major, version.minor, version.patch);
}

NcclVersion version_of_code(int code) {
  return {code / kMajor, code % kMajor / kMinor, code % kMinor};
}

int code_of(const NcclVersion& version) {
  return version.major * kMajor + version.minor * kMinor + version.patch;
}

}  // namespace linerate::topo
