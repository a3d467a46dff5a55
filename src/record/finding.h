// What a rule found, of a run's results (src/diagnose), of a machine (topo/lint), or of variables,
// a log or a node (src/diagnose/env, log, node).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace linerate {

enum class Severity : std::uint8_t {
  info,     // worth knowing; nothing is wrong
  warning,  // something is wrong, or slower than it should be
  problem,  // a setting does not do what it says, a job failed, a node is broken: the doctor alone
};
// By Severity.
inline constexpr std::array<std::string_view, 3> kSeverityNames{"info", "warning", "problem"};

constexpr std::string_view name_of(Severity severity) {
  return kSeverityNames[static_cast<std::size_t>(severity)];
}

// The `finding` line. Texts are in words that go on after each other: "rank 3" "comes 40 us after
// the first". Those of lint and of the doctor's commands are sentences, and have no run.
struct Finding {
  std::string run_id{};
  std::string rule{};  // "slow_component", "degraded-link"
  Severity severity = Severity::warning;
  std::string subject{};   // "rank 3", "1 of 16 results", "mlx5_2 at 0000:5e:00.0"
  std::string evidence{};  // what was seen, with the number that shows it
  std::string advice{};    // what to do next
  double confidence = 1;   // 0 to 1

  bool operator==(const Finding&) const = default;
};

}  // namespace linerate
