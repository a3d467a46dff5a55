// Findings of lint as lines and as JSON.
#include "topo/lint/lint.h"

#include "base/text.h"
#include "record/findings.h"
#include "record/json_io.h"
#include "topo/show/views.h"

#include <fmt/format.h>

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
  json::Json json{{"kind", "lint"}, {"schema", kLintSchema}};
  auto& findings = json["findings"] = json::Json::array();
  for (const auto& [node, finding] : report.lines) {
    json::Json line = json::Json::object();
    if (!node.empty()) line["node"] = node;
    line.update(finding_json(finding));
    findings.push_back(std::move(line));
  }
  json["unseen"] = report.unseen;
  return json::document(std::move(json));
}

}  // namespace linerate::topo
