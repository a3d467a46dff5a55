// Any bytes as the flight recorder's dumps and as RAS's answer, and the report on them.
#include "diagnose/hang/hang.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace linerate::hang;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  HangReport report;
  const auto cut = std::min(text.size(), std::size_t{16} * data[0]);
  for (const auto& [name, bytes] :
       {std::pair("rank_0", text.substr(0, cut)), std::pair("rank_1", text.substr(cut)),
        std::pair("rank_2", text)})
    if (const auto refused = report.dumps.add(name, bytes); refused && refused->empty())
      std::abort();
  report.findings = examine(report.dumps);
  report.ras = {"node1:28028", std::string(text.substr(0, cut)), std::string(text), 1};
  std::ranges::move(examine(report.ras), std::back_inserter(report.findings));
  for (const auto& finding : report.findings)
    if (finding.subject.empty() || finding.evidence.empty()) std::abort();
  (void)hang_text(report);
  (void)hang_json(report);
  return 0;
}
