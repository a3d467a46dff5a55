// What many nodes could not read alike is told once.
#include "output/health_text.h"

#include "base/text.h"

#include <fmt/format.h>

#include <map>

namespace linerate {
namespace {

constexpr std::string_view kHealthRule = "health";  // src/diagnose/health
constexpr std::size_t kMostLines = 16;              // the rest is in JSON Lines

std::string comment(std::string_view text) {
  return fmt::format("# health: {}\n", plain_text(text));
}

// "28 counters and 8 GPUs of 1 node, 12 samples".
std::string watched_text(const std::vector<NodeHealth>& nodes) {
  std::uint64_t counters = 0, gpus = 0, samples = 0;
  for (const auto& node : nodes) {
    counters += node.counters;
    gpus += node.gpus;
    samples += node.samples;
  }
  return fmt::format("{} and {} of {}, {}", counted(counters, "counter"), counted(gpus, "GPU"),
                     counted(nodes.size(), "node"), counted(samples, "sample"));
}

}  // namespace

std::string health_lines(const EndInfo& end) {
  if (end.health.empty()) return {};
  std::string text;
  std::size_t moved = 0;
  for (const auto& finding : end.findings) {
    if (finding.rule != kHealthRule || ++moved > kMostLines) continue;
    text += comment(fmt::format("{}: {}; {}", finding.subject, finding.evidence, finding.advice));
  }
  if (moved > kMostLines)
    text += comment(fmt::format("and {} more, in --jsonl", moved - kMostLines));
  if (moved == 0) text += comment("nothing moved: " + watched_text(end.health));
  std::map<std::string, std::size_t> unread;  // by what, on so many nodes
  for (const auto& node : end.health)
    for (const auto& what : node.unread) ++unread[what];
  std::size_t lines = 0;
  for (const auto& [what, nodes] : unread)
    if (++lines <= kMostLines)
      text += comment(fmt::format("not read on {}: {}", counted(nodes, "node"), what));
  if (lines > kMostLines)
    text += comment(fmt::format("not read: and {} more, in --jsonl", lines - kMostLines));
  return text;
}

}  // namespace linerate
