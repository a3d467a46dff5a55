// linerate doctor, of this node, of those of a job, or of snapshots.
#include "base/file.h"
#include "base/text.h"
#include "cli/doctor_node_config.h"
#include "commands/doctor.h"
#include "commands/doctor_pages.h"
#include "commands/doctor_quick_bench.h"
#include "commands/gather_nodes.h"
#include "diagnose/node/checks.h"
#include "diagnose/node/node.h"
#include "output/text_file.h"
#include "record/findings.h"
#include "topo/detect/sysfs.h"
#include "topo/lint/lint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <set>

namespace linerate {
namespace {

// What the options choose of the checks of nodes, and of lint's rules, which look at its topology.
struct Chosen {
  std::vector<node::Check> checks{};
  std::vector<topo::LintRule> rules{};
  bool compares = true;  // several nodes
};

struct ExaminedNode {
  std::string name{};
  node::Examined result{};
  std::string measured{};  // by --quick-bench; empty: not, or a finding says it
};

constexpr std::string_view kUnlikeNode = "unlike-node";

std::vector<std::string_view> all_ids() {
  std::vector<std::string_view> ids;
  for (const auto& check : node::all_checks()) ids.push_back(check.id);
  for (const auto& rule : topo::lint_rules()) ids.push_back(rule.name);
  ids.insert(ids.end(), {kUnlikeNode, "unread-node", "quick-bench"});
  return ids;
}

Result<Chosen> chosen_by(const DoctorNodeConfig& config) {
  const auto ids = all_ids();
  for (const auto* list : {&config.only, &config.skip})
    for (const auto& name : *list)
      if (std::ranges::find(ids, name) == ids.end())
        return Failure{unknown_choice("check", name, ids)};
  const auto holds = [&](std::string_view id) {
    const auto is = [&](const std::string& name) { return name == id; };
    return (config.only.empty() || std::ranges::any_of(config.only, is)) &&
           std::ranges::none_of(config.skip, is);
  };
  Chosen chosen;
  std::ranges::copy_if(node::all_checks(), std::back_inserter(chosen.checks), holds,
                       &node::Check::id);
  std::ranges::copy_if(topo::lint_rules(), std::back_inserter(chosen.rules), holds,
                       &topo::LintRule::name);
  chosen.compares = holds(kUnlikeNode);
  return chosen;
}

Result<std::vector<node::Snapshot>> read_snapshots(const std::vector<std::string>& names) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (const auto& name : names) {
    std::error_code failed;
    if (!fs::is_directory(name, failed)) {
      files.push_back(name);
      continue;
    }
    const auto before = static_cast<std::ptrdiff_t>(files.size());
    for (fs::directory_iterator entry(name, failed); !failed && entry != fs::directory_iterator();
         entry.increment(failed))
      if (entry->path().extension() == ".json") files.push_back(entry->path());
    if (before == std::ssize(files))
      return Failure{fmt::format("{}: no *.json is in this folder.", plain_text(name))};
    std::sort(files.begin() + before, files.end());
  }
  std::vector<node::Snapshot> snapshots;
  std::set<std::string> seen;
  for (const auto& file : files) {
    const auto text = read_regular_file(file, node::kMostSnapshotBytes);
    if (!text) return Failure{fmt::format("{}: {}", plain_text(file), text.sentence())};
    auto snapshot = node::parse_snapshot(*text);
    if (!snapshot) return Failure{plain_text(file + snapshot.sentence())};
    snapshots.push_back(*std::move(snapshot));
    auto& name = snapshots.back().node;
    if (name.empty() || !seen.insert(name).second) name += fmt::format(" ({})", file);
  }
  return snapshots;
}

Result<node::Thresholds> read_thresholds(const std::string& file) {
  constexpr std::size_t kMostBytes = 64U << 10U;
  if (file.empty()) return node::Thresholds{};
  const auto text = read_regular_file(file, kMostBytes);
  if (!text) return Failure{fmt::format("{}: {}", plain_text(file), text.sentence())};
  auto thresholds = node::parse_thresholds(*text);
  if (!thresholds) return Failure{plain_text(file + thresholds.sentence())};
  return thresholds;
}

// What lint's rules find in the topology; where there is none, why.
void add_lint(node::Examined& examined, const node::Snapshot& snapshot,
              std::span<const topo::LintRule> rules) {
  if (rules.empty()) return;
  if (!snapshot.topology) {
    auto& omitted = examined.not_run.emplace_back();
    const auto* why = snapshot.find("topology");
    omitted.reason = why == nullptr ? "the snapshot holds no topology"
                                    : fmt::format("looking for the topology {}", *why);
    for (const auto& rule : rules) omitted.ids.push_back(rule.name);
    return;
  }
  for (const auto& rule : rules) {
    ++examined.ran;
    for (auto& finding : rule.findings(*snapshot.topology)) {
      finding.rule = rule.name;
      examined.findings.push_back(std::move(finding));
    }
  }
  // Checks of what there is not do not apply, which is said there.
  for (const auto& sentence : snapshot.topology->unseen)
    if (sentence != topo::kNoVerbsPorts &&
        (!sentence.starts_with("No NVIDIA driver") || node::needs::nvidia(snapshot)))
      examined.not_run.push_back({.reason = sentence, .ids = {"topology"}});
  std::ranges::stable_sort(examined.findings, std::greater<>(), &Finding::severity);
}

std::vector<ExaminedNode> examine_all(std::span<const node::Snapshot> snapshots,
                                      const Chosen& chosen, const node::Thresholds& thresholds) {
  std::vector<ExaminedNode> nodes;
  for (const auto& snapshot : snapshots) {
    auto result = node::examine(snapshot, chosen.checks, thresholds);
    add_lint(result, snapshot, chosen.rules);
    nodes.push_back({snapshot.node, std::move(result)});
  }
  if (snapshots.size() > 1 && chosen.compares)
    nodes.push_back({"", {.findings = node::unlike_nodes(snapshots)}});
  return nodes;
}

// The first few names; of many nodes how many more.
std::string nodes_text(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 5;
  const auto shown = std::min(names.size(), kShown);
  const auto text = fmt::format(
      "{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  return plain_text(names.size() > shown ? fmt::format("{} and {} more", text, names.size() - shown)
                                         : text);
}

// Alike findings of several nodes are one.
struct FindingOfNodes {
  Finding finding{};
  std::vector<std::string> nodes{};  // none: between nodes
};

std::vector<FindingOfNodes> joined(std::span<const ExaminedNode> nodes) {
  std::vector<FindingOfNodes> all;
  std::map<std::string, std::size_t> places;
  for (const auto& [name, result, measured] : nodes)
    for (const auto& finding : result.findings) {
      const auto key = fmt::format("{}\n{}\n{}", finding.rule, finding.subject, finding.evidence);
      const auto [place, is_new] = places.emplace(name.empty() ? "\n" + key : key, all.size());
      if (is_new) all.push_back({.finding = finding});
      if (!name.empty()) all[place->second].nodes.push_back(name);
    }
  std::ranges::stable_sort(all, std::greater<>(),
                           [](const FindingOfNodes& one) { return one.finding.severity; });
  return all;
}

std::string not_run_text(std::span<const ExaminedNode> nodes, std::size_t count) {
  std::vector<std::pair<std::string, std::size_t>> lines;
  for (const auto& one : nodes)
    for (const auto& [reason, applies, ids] : one.result.not_run) {
      const auto line = fmt::format("{}: {}: {}", applies ? "could not run" : "does not apply",
                                    fmt::join(ids, ", "), reason);
      const auto known = std::ranges::find(lines, line, [](const auto& l) { return l.first; });
      if (known == lines.end())
        lines.emplace_back(line, 1);
      else
        ++known->second;
    }
  std::string text;
  for (const auto& [line, times] : lines)
    text += plain_text(line) + (times < count ? fmt::format(" ({} nodes)\n", times) : "\n");
  return text;
}

std::string examined_text(std::span<const ExaminedNode> nodes) {
  std::array<std::size_t, kSeverityNames.size()> counts{};
  std::size_t ran = 0, failed = 0, examined = 0;
  for (const auto& [name, result, measured] : nodes) {
    examined += name.empty() ? 0 : 1;
    ran += result.ran;
    for (const auto& omitted : result.not_run) failed += omitted.applies ? omitted.ids.size() : 0;
  }
  std::string text;
  for (const auto& [finding, names] : joined(nodes)) {
    ++counts[static_cast<std::size_t>(finding.severity)];
    const auto where = examined > 1 && !names.empty() ? nodes_text(names) + ": " : std::string();
    text += finding_text(finding, where);
  }
  for (const auto& one : nodes)
    if (!one.measured.empty()) text += fmt::format("{}: {}\n", kQuickBench, one.measured);
  text += not_run_text(nodes, examined);
  const auto about = fmt::format("{} on {}, {} could not run\n", counted(ran, "check"),
                                 counted(examined, "node"), failed);
  const auto hint = counts[0] + counts[1] + counts[2] > 0 ? kExplainHint : std::string_view();
  if (counts[1] + counts[2] == 0)
    return text +
           fmt::format("nothing looks wrong: {}, {}{}", counted(counts[0], "note"), about, hint);
  return text + fmt::format("{}, {}, {}: {}{}", counted(counts[2], "problem"),
                            counted(counts[1], "warning"), counted(counts[0], "note"), about, hint);
}

std::string examined_json(std::span<const ExaminedNode> nodes) {
  constexpr int kDoctorSchema = 1;
  json::Json document{{"kind", "doctor"}, {"schema", kDoctorSchema}};
  auto& findings = document["findings"] = json::Json::array();
  auto& states = document["nodes"] = json::Json::array();
  for (const auto& [name, result, measured] : nodes) {
    for (const auto& finding : result.findings) {
      json::Json line = json::Json::object();
      if (!name.empty()) line["node"] = name;
      line.update(finding_json(finding));
      findings.push_back(std::move(line));
    }
    if (name.empty()) continue;
    json::Json state{{"node", name}, {"ran", result.ran}, {"not_run", json::Json::array()}};
    if (!measured.empty()) state["quick_bench"] = measured;
    for (const auto& [reason, applies, ids] : result.not_run)
      state["not_run"].push_back({{"checks", ids}, {"reason", reason}, {"applies", applies}});
    states.push_back(std::move(state));
  }
  return json::document(std::move(document));
}

}  // namespace

ExitCode doctor_node(const CommandInput& input) {
  if (answers_help(input.call.words, Audience::doctor_node)) return ExitCode::ok;
  const auto config = parse_doctor_node(input.call.words);
  if (!config) return refuse(config.sentence());
  if (const auto why = unknown_finding(config->explained)) return refuse(*why);
  auto out = TextFile::standard_output();
  for (const auto& id : config->explained) out.write(explanation(id));
  if (config->list) out.write(all_rules_text());
  if (config->list || !config->explained.empty()) return ExitCode::ok;
  const auto chosen = chosen_by(*config);
  if (!chosen) return refuse(chosen.sentence());
  const auto thresholds = read_thresholds(config->thresholds);
  if (!thresholds) return refuse(thresholds.sentence());
  const auto judge = [&](const GatheredNodes& read) {
    if (config->quick_bench && read.of_job)
      return refuse("--quick-bench measures one node: add --here, or leave the launcher out.");
    auto nodes = examine_all(read.snapshots, *chosen, *thresholds);
    if (config->quick_bench && !nodes.empty())
      nodes.front().measured = quick_bench(input, nodes.front().result);
    if (input.interrupted()) return ExitCode::interrupted;
    if (!read.unread.empty()) nodes.push_back({"", {.findings = read.unread}});
    for (auto& node : nodes) leave_out(node.result.findings, config->skip);
    out.write(config->json ? examined_json(nodes) : examined_text(nodes));
    const bool fails = std::ranges::any_of(nodes, [&](const ExaminedNode& one) {
      return any_from(one.result.findings, config->fail_on);
    });
    return fails ? ExitCode::finding : ExitCode::ok;
  };
  if (config->snapshots.empty())
    return config->here ? with_this_node(input, judge) : with_nodes(input, judge);
  auto snapshots = read_snapshots(config->snapshots);
  if (!snapshots) return refuse(snapshots.sentence());
  return judge({.snapshots = *std::move(snapshots)});
}

}  // namespace linerate
