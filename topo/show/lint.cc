// Findings of lint as lines and as JSON.
#include "topo/lint/lint.h"

#include "base/text.h"
#include "record/json_io.h"
#include "topo/show/views.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace linerate::topo {

std::string lint_text(const LintReport& report) {
  std::string text;
  for (const auto& [node, finding] : report.lines)
    text += plain_text(fmt::format("{}{}{}{}: {}: {} {}", node, node.empty() ? "" : ": ",
                                   finding.severity == Severity::info ? "info: " : "", finding.rule,
                                   finding.subject, finding.evidence, finding.advice)) +
            '\n';
  if (report.has_warning()) return text;
  text += "nothing looks wrong, as far as could be seen\n";
  for (const auto& sentence : report.unseen)
    text += fmt::format("not seen: {}\n", plain_text(sentence));
  return text;
}

std::string lint_json(const LintReport& report) {
  using Json = nlohmann::ordered_json;
  Json json{{"kind", "lint"}, {"schema", kLintSchema}};
  auto& findings = json["findings"] = Json::array();
  for (const auto& [node, finding] : report.lines) {
    Json line = Json::object();
    if (!node.empty()) line["node"] = node;
    line["rule"] = finding.rule;
    line["severity"] = name_of(finding.severity);
    line["subject"] = finding.subject;
    line["evidence"] = finding.evidence;
    line["advice"] = finding.advice;
    findings.push_back(std::move(line));
  }
  json["unseen"] = report.unseen;
  return json::document(std::move(json));
}

}  // namespace linerate::topo
