// A report as lines, and as JSON.
#include "base/text.h"
#include "base/units.h"
#include "diagnose/results/results.h"
#include "record/findings.h"
#include "record/json_io.h"
#include "record/verdict.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace linerate::results {
namespace {

using json::Json;

std::string about(const Run& run) {
  if (run.results.empty()) return "no result";
  const auto& what = run.results.front().what;
  const auto& name = what.collective;
  return fmt::format("{}{}", name.empty() ? "a collective that it does not name" : name,
                     what.type.empty() ? "" : " of " + what.type);
}

std::string sizes(const Run& run) {
  if (run.results.empty()) return {};
  const auto [least, most] =
      std::ranges::minmax_element(run.results, {}, [](const Record& r) { return r.what.bytes; });
  return fmt::format(", {} to {}", bytes_text(least->what.bytes), bytes_text(most->what.bytes));
}

const Record* best_of(const Run& run) {
  const auto best = std::ranges::max_element(run.results, {}, &Record::busbw_gbps);
  return best == run.results.end() ? nullptr : &*best;
}

std::string bands_text(const Run& run) {
  auto text = fmt::format("{:>14}  {:<12}  {:>9}  {:>9}  {:>9}  {:>9}  verdict\n", "bytes",
                          "placement", "busbw", "expected", "low", "high");
  for (const auto& r : run.results) {
    if (!r.expected) continue;
    const auto& band = *r.expected;
    text +=
        fmt::format("{:>14}  {:<12}  {:>9.4g}  {:>9.4g}  {:>9.4g}  {:>9.4g}  {}\n", r.what.bytes,
                    r.what.placement == Placement::in_place ? "in place" : "out of place",
                    slowest_busbw_gbps(r), band.busbw_gbps, band.low_gbps, band.high_gbps,
                    name_of(verdict_of(r)));
  }
  return text;
}

std::string closing_line(std::span<const Run> runs, std::span<const Finding> findings) {
  const auto about = fmt::format(" about {}", counted(runs.size(), "run"));
  if (any_from(findings, Severity::warning)) return closing_text(findings, about);
  return fmt::format("nothing looks wrong: {}{}\n{}", counted(findings.size(), "note"), about,
                     findings.empty() ? "" : kExplainHint);
}

Json result_json(const Record& r) {
  Json out{{"collective", r.what.collective},
           {"type", r.what.type},
           {"placement", name_of(r.what.placement)},
           {"bytes", r.what.bytes}};
  json::Writer writer(out);
  writer.field("busbw_gbps", slowest_busbw_gbps(r));
  writer.field("expected_busbw_gbps", r.expected->busbw_gbps);
  writer.field("expected_low_gbps", r.expected->low_gbps);
  writer.field("expected_high_gbps", r.expected->high_gbps);
  out["verdict"] = name_of(verdict_of(r));
  return out;
}

Json run_json(const Run& run) {
  Json out{{"name", run.name}, {"run_id", run.info.run_id}, {"results", run.results.size()}};
  if (!run.results.empty()) out["collective"] = run.results.front().what.collective;
  if (run.nranks > 0) out["nranks"] = run.nranks;
  if (run.nhosts > 0) out["nhosts"] = run.nhosts;
  json::Writer writer(out);
  if (const auto* best = best_of(run)) writer.field("best_busbw_gbps", best->busbw_gbps);
  if (run.end) writer.field("average_busbw_gbps", run.end->average_busbw_gbps);
  if (!run.not_judged.empty()) out["not_judged"] = run.not_judged;
  if (!run.judged) return out;
  auto& judged = out["judged"] = Json::array();
  for (const auto& r : run.results)
    if (r.expected) judged.push_back(result_json(r));
  return out;
}

}  // namespace

std::string run_text(const Run& run) {
  auto text = fmt::format("{}: {}", run.name, plain_text(about(run)));
  if (run.nranks > 0)
    text += fmt::format(", {}", counted(static_cast<std::size_t>(run.nranks), "rank"));
  if (run.nhosts > 0) text += fmt::format(" on {}", counted(run.nhosts, "host"));
  text += fmt::format("{}, {}", sizes(run), counted(run.results.size(), "result"));
  const auto* best = best_of(run);
  if (best != nullptr && best->busbw_gbps > 0)
    text += fmt::format(", up to {:.4g} GB/s at {}", best->busbw_gbps, size_text(*best));
  return text;
}

std::string report_text(std::span<const Run> runs, std::span<const Finding> findings) {
  std::string text;
  for (const auto& run : runs) {
    text += run_text(run) + "\n";
    if (!run.not_judged.empty()) text += fmt::format("  not judged: {}\n", run.not_judged);
    if (run.judged) text += bands_text(run);
  }
  text += "\n";
  for (const auto& finding : findings) text += finding_text(finding);
  return text + closing_line(runs, findings);
}

std::string report_json(std::span<const Run> runs, std::span<const Finding> findings) {
  constexpr int kDoctorResultsSchema = 1;
  Json document{{"kind", "doctor_results"}, {"schema", kDoctorResultsSchema}};
  auto& all = document["runs"] = Json::array();
  for (const auto& run : runs) all.push_back(run_json(run));
  auto& list = document["findings"] = Json::array();
  for (const auto& finding : findings) {
    list.push_back({{"run_id", finding.run_id}});
    list.back().update(finding_json(finding));
  }
  return json::document(std::move(document));
}

}  // namespace linerate::results
