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

bool begins_dockerfile(std::string_view line) {
  return line.starts_with("FROM ") || line.starts_with("ARG ") || line.starts_with("ENV ");
}

Result<std::vector<Setting>> read_as(Format format, std::string_view name, std::string_view text,
                                     int first_scope) {
  switch (format) {
    case Format::detected:
    case Format::shell:
      return read_shell(name, text, first_scope);
    case Format::dockerfile:
      return read_dockerfile(name, text);
    case Format::yaml:
      return read_yaml(name, text, first_scope);
    case Format::nccl_conf:
      return read_nccl_conf(name, text);
    case Format::environ:
      return read_environ(name, text);
  }
  __builtin_unreachable();
}

}  // namespace

Format detected_format(std::string_view name, std::string_view text) {
  if (name.ends_with("nccl.conf")) return Format::nccl_conf;
  if (text.find('\0') != std::string_view::npos) return Format::environ;
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
                                           Format format, int first_scope) {
  if (format == Format::detected) format = detected_format(name, text);
  auto settings = read_as(format, name, text, first_scope);
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
std::vector<Setting> read_nccl_conf(std::string_view name, std::string_view text) {
  constexpr std::size_t kMostCharacters = 1023;
  std::vector<Setting> settings;
  int number = 0;
  for (std::string line : split(text, '\n')) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
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
