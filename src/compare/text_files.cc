// For programs: JSON, and JUnit's XML, which continuous integration shows.
#include "base/text.h"
#include "base/units.h"
#include "compare/text.h"
#include "compare/words.h"
#include "record/json_io.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <string>
#include <utility>

namespace linerate {
namespace {

using json::Json;
using stats::Difference;

void set_number(Json& object, const char* key, double value) {
  if (std::isfinite(value)) object[key] = json::rounded(value);
}

Json side_json(const Side& side) {
  Json out{{"name", side.name}, {"nruns", side.runs.size()}};
  for (const auto& run : side.runs) out["run_ids"].push_back(run.info.run_id);
  if (auto notes = side.notes(); !notes.empty()) out["notes"] = std::move(notes);
  return out;
}

Json time_json(const SideTime& time) {
  Json out{{"nruns", time.nruns}};
  set_number(out, "median_us", time.median_us);
  set_number(out, "spread", time.spread);
  return out;
}

Json case_json(const CaseKey& key) {
  Json out{{"collective", key.collective},
           {"type", key.type},
           {"redop", key.redop},
           {"root", key.root},
           {"placement", name_of(key.placement)},
           {"bytes", key.bytes}};
  if (key.pair.first >= 0) out["pair"] = {key.pair.first, key.pair.second};
  if (!key.cell.empty()) out["cell"] = key.cell;
  return out;
}

Json result_json(const ComparedCase& one) {
  Json out{{"case", case_json(one.key)},
           {"group", one.key.group},
           {"nranks", one.key.nranks},
           {"a", time_json(one.a)},
           {"b", time_json(one.b)}};
  set_number(out, "ratio", one.effect.ratio);
  set_number(out, "ci95_low", one.effect.low);
  set_number(out, "ci95_high", one.effect.high);
  set_number(out, "p", one.effect.p);
  set_number(out, "adjusted_p", one.adjusted_p);
  out["verdict"] = name_of(one.verdict);
  return out;
}

Json summary_json(const RunComparison& comparison) {
  return {{"slower", comparison.count(Difference::slower)},
          {"faster", comparison.count(Difference::faster)},
          {"same", comparison.count(Difference::same)},
          {"unsure", comparison.count(Difference::unsure)},
          {"only_a", comparison.only_a},
          {"only_b", comparison.only_b}};
}

std::string xml(std::string_view text) {
  std::string out;
  for (const char c : plain_text(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string result_sentence(const ComparedCase& one) {
  return fmt::format("B/A {} {}, A {}, B {}", ratio_words(one.effect.ratio),
                     interval_words(one.effect), time_words(one.a), time_words(one.b));
}

std::string test_case(const ComparedCase& one) {
  const auto name = xml(fmt::format("{} {}", bytes_text(one.key.bytes), placement_words(one.key)));
  const auto open =
      fmt::format(R"(  <testcase classname="{}" name="{}")", xml(case_words(one.key)), name);
  const auto message = xml(result_sentence(one));
  if (one.verdict == Difference::slower)
    return fmt::format("{}>\n    <failure type=\"SLOWER\" message=\"{}\"/>\n  </testcase>\n", open,
                       message);
  if (one.verdict == Difference::unsure)
    return fmt::format("{}>\n    <skipped message=\"UNSURE: {}\"/>\n  </testcase>\n", open,
                       message);
  return fmt::format("{}>\n    <system-out>{}: {}</system-out>\n  </testcase>\n", open,
                     name_of(one.verdict), message);
}

}  // namespace

std::string json_text(const RunComparison& comparison) {
  Json out{{"kind", "comparison"},
           {"schema", kSchemaVersion},
           {"a", side_json(comparison.a)},
           {"b", side_json(comparison.b)},
           {"statistic", name_of(comparison.statistic)},
           {"blocks", comparison.blocks},
           {"turns", name_of(comparison.turns)},
           {"smallest_effect", comparison.rules.rule.smallest},
           {"false_discoveries", comparison.rules.rule.false_discoveries}};
  out["differences"] = Json::array();
  for (const auto& one : comparison.differences)
    out["differences"].push_back({{"what", one.what}, {"a", one.a}, {"b", one.b}});
  out["cautions"] = cautions(comparison);
  out["summary"] = summary_json(comparison);
  out["cases"] = Json::array();
  for (const auto& one : comparison.cases) out["cases"].push_back(result_json(one));
  return json::document(std::move(out));
}

std::string junit_text(const RunComparison& comparison) {
  auto text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"linerate compare\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n",
      comparison.cases.size(), comparison.count(Difference::slower),
      comparison.count(Difference::unsure));
  for (const auto& one : comparison.cases) text += test_case(one);
  return text + "</testsuite>\n";
}

}  // namespace linerate
