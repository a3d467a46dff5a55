// Which reader a text is for; nccl.conf's is here.
#include "diagnose/env/sources.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace linerate::env {
namespace {

// "key:" or "- item", as YAML's lines begin.
bool begins_yaml(std::string_view line) {
  if (line == "---" || line.starts_with("- ") || line.starts_with("%YAML")) return true;
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const auto key = line.substr(0, colon);
  const bool plain = std::ranges::all_of(key, [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-' || c == '.' || c == '/' || c == '"';
  });
  return plain && (colon + 1 == line.size() || line[colon + 1] == ' ');
}

std::vector<Setting> read_environ(std::string_view name, std::string_view text) {
  std::vector<Setting> settings;
  for (const auto& entry : split(text, '\0')) {
    const auto equals = entry.find('=');
    if (equals != std::string::npos && family_of(entry.substr(0, equals)) != nullptr)
      settings.push_back({.name = entry.substr(0, equals),
                          .value = entry.substr(equals + 1),
                          .where = std::string(name)});
  }
  return settings;
}

// NAME=VALUE, each with a zero behind it.
bool is_environ(std::string_view text) {
  for (const auto& entry : split(text, '\0')) {
    const auto name = std::string_view(entry).substr(0, entry.find('='));
    const bool is_pair = name.size() < entry.size() && !name.empty() &&
                         std::ranges::all_of(name, [](unsigned char c) { return std::isgraph(c); });
    if (!entry.empty() && !is_pair) return false;
  }
  return true;
}

bool begins_dockerfile(std::string_view line) {
  return line.starts_with("FROM ") || line.starts_with("ARG ") || line.starts_with("ENV ");
}

Result<std::vector<Setting>> read_as(const ReadAs& as, std::string_view name,
                                     std::string_view text) {
  switch (as.format) {
    case Format::detected:
    case Format::shell:
      return read_shell(name, text, as.first_scope);
    case Format::dockerfile:
      return read_dockerfile(name, text);
    case Format::yaml:
      return read_yaml(name, text, as.first_scope);
    case Format::nccl_conf:
      return read_nccl_conf(name, text, as.nccl);
    case Format::environ:
      return read_environ(name, text);
  }
  __builtin_unreachable();
}

}  // namespace

Format detected_format(std::string_view name, std::string_view text) {
  if (name.ends_with("nccl.conf")) return Format::nccl_conf;
  if (text.find('\0') != std::string_view::npos && is_environ(text)) return Format::environ;
  if (text.starts_with("#!")) return Format::shell;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto line = trim(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.front() == '#') continue;
    if (line.front() == '{' || (line.front() == '[' && !line.starts_with("[[")))
      return Format::yaml;
    if (begins_dockerfile(line)) return Format::dockerfile;
    return begins_yaml(line) ? Format::yaml : Format::shell;
  }
  return Format::shell;
}

Result<std::vector<Setting>> read_settings(std::string_view name, std::string_view text,
                                           ReadAs as) {
  const bool detected = as.format == Format::detected;
  if (detected) as.format = detected_format(name, text);
  if (as.format != Format::environ && text.find('\0') != std::string_view::npos)
    return Failure{": it is no text."};
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (as.format != Format::nccl_conf && text.starts_with(kByteOrderMark))
    text.remove_prefix(kByteOrderMark.size());
  auto settings = read_as(as, name, text);
  if (!settings && detected)
    return Failure{settings.sentence() +
                   " If it is a template: --format shell finds some of its settings."};
  if (!settings) return settings;
  if (settings->size() > kMostSettings)
    return Failure{fmt::format(": it sets variables more than {} times.", kMostSettings)};
  std::set<int> scopes;
  for (const auto& setting : *settings) scopes.insert(setting.scope);
  if (scopes.size() > kMostScopes)
    return Failure{
        fmt::format(": more than {} of its commands or containers have variables of "
                    "their own.",
                    kMostScopes)};
  return settings;
}

std::vector<Setting> settings_of(const Environment& environment) {
  std::vector<Setting> settings;
  for (const auto& name : environment.names_with(""))
    if (family_of(name) != nullptr)
      settings.push_back({.name = name, .value = *environment.get(name), .where = "environment"});
  return settings;
}

// As setEnvFile() of NCCL's src/misc/param.cc: comments begin in the first column, the name ends at
// the first '=', and both sides count with their blanks, up to 1023 characters.
std::vector<Setting> read_nccl_conf(std::string_view name, std::string_view text,
                                    const Release& nccl, int first_line) {
  constexpr std::size_t kMostCharacters = 1023;
  constexpr Release kDropsCarriageReturns{30, 3};
  std::vector<Setting> settings;
  int number = first_line - 1;
  for (std::string line : split(text, '\n')) {
    ++number;
    if (line.ends_with('\r') && nccl >= kDropsCarriageReturns) line.pop_back();
    const auto equals = line.find('=');
    if (line.starts_with('#') || equals == std::string::npos) continue;
    settings.push_back({.name = line.substr(0, std::min(equals, kMostCharacters)),
                        .value = line.substr(equals + 1, kMostCharacters),
                        .where = fmt::format("{}:{}", name, number),
                        .conf = true});
  }
  return settings;
}

}  // namespace linerate::env
