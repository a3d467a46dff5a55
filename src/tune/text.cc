#include "tune/text.h"

#include "base/text.h"
#include "base/units.h"

#include <fmt/format.h>

#include <algorithm>

namespace linerate::tuning {

std::string candidates_text(const Candidates& all) {
  std::string text;
  std::map<std::string, std::vector<std::string>> by_collective;
  for (const auto& arm : all.arms)
    by_collective[arm.collective ? std::string(arm.collective->name) : "process"].push_back(
        arm.words);
  for (const auto& [name, words] : by_collective) {
    text += fmt::format("# to try, {}:", name == "process" ? "for the whole process" : name);
    for (const auto& word : words)
      text += fmt::format("{} {}", &word == words.data() ? "" : ",", plain_text(word));
    text += '\n';
  }
  std::size_t width = 0;
  for (const auto& one : all.left_out) width = std::max(width, one.words.size());
  for (const auto& one : all.left_out)
    text += fmt::format("# left out: {:<{}}  {}\n", one.words, width, one.why);
  return text;
}

std::string search_text(std::string_view of, std::span<const Arm> arms, const Searched& found,
                        const std::vector<Dropped>& dropped) {
  auto text =
      fmt::format("# {}: {} in {}, {}\n", of, counted(arms.size(), "setting"),
                  counted(static_cast<std::size_t>(found.rounds), "round"),
                  found.launches == 1 ? "1 launch" : fmt::format("{} launches", found.launches));
  for (const auto& one : dropped)
    text +=
        fmt::format("#   dropped: {}: {}\n", plain_text(arms[one.arm].words), plain_text(one.why));
  return text;
}

std::string table_text(const std::vector<Kept>& rows) {
  auto text = fmt::format("# {:<14} {:>9}  {:<28} {:>11} {:>11}  {:<26} {}\n", "collective", "size",
                          "setting", "default us", "with it us", "gain [95 % interval]", "verdict");
  for (const auto& [arm, judged] : rows)
    text += fmt::format("  {:<14} {:>9}  {:<28} {:>11.5g} {:>11.5g}  {:<26} {}\n",
                        judged.cell.collective->name, bytes_text(judged.cell.bytes),
                        plain_text(arm.words), judged.default_us, judged.us,
                        gain_text(judged.effect), stats::name_of(judged.verdict));
  return text;
}

}  // namespace linerate::tuning
