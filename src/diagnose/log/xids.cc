// What the Xid in a line of NVIDIA's driver means. Numbers as in NVIDIA's catalogue of Xid errors.
#include "diagnose/log/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace linerate::logs {
namespace {

struct Xids {
  int first, last;
  std::string_view meaning;
};
constexpr auto kXids = std::to_array<Xids>({
    {13, 13, "a kernel of a program failed on the GPU; usually an error of the program"},
    {31, 31, "a program used an address that the GPU has no page for; usually its own error"},
    {43, 43, "the GPU stopped the work of a program after an error; usually of the program"},
    {45, 45, "the driver removed the work of a program that ended, or after an earlier error"},
    {48, 48, "an error in the GPU's memory that its ECC cannot correct: reset or replace it"},
    {63, 63, "the GPU set a bad part of its memory aside; a reset makes it final"},
    {64, 64, "the GPU could not set a bad part of its memory aside: reset it, or replace it"},
    {74, 74, "an error of NVLink: a link, a bridge or a switch"},
    {79, 79, "the GPU no longer answers on PCI (power, heat, slot): restart the node"},
    {94, 94, "an error in the GPU's memory that ended no more than the program which met it"},
    {95, 95, "an error in the GPU's memory that concerns all programs on it: reset it"},
    {119, 120, "the GPU's own processor for the driver (GSP) failed: reset it or restart the node"},
    {144, 150, "an error of NVLink 5: a link, a cable or a switch"},
});

}  // namespace

std::string xid_text(std::string_view line) {
  constexpr std::string_view kXid = "NVRM: Xid (", kBehind = "): ";
  const auto at = line.find(kXid);
  const auto end = line.find(kBehind, at);
  if (at == std::string_view::npos || end == std::string_view::npos) return {};
  const int number = leading_number(line.substr(end + kBehind.size()));
  const auto known = std::ranges::find_if(
      kXids, [&](const Xids& row) { return row.first <= number && number <= row.last; });
  return known == kXids.end() ? "" : fmt::format(" Xid {}: {}.", number, known->meaning);
}

}  // namespace linerate::logs
