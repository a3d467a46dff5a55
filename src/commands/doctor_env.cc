// linerate doctor env: reads the variables, has them examined, prints what was found.
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/doctor_config.h"
#include "commands/doctor.h"
#include "commands/doctor_pages.h"
#include "diagnose/env/sources.h"
#include "diagnose/env/statements.h"
#include "output/text_file.h"
#include "record/findings.h"

#include <fmt/format.h>

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace linerate {
namespace {

using Settings = std::vector<env::Setting>;

void add_settings(Settings& settings, Settings more) {
  std::ranges::move(more, std::back_inserter(settings));
}

// "train.sh: it is a directory, not a file.", or that of its text.
Result<Settings> read_source(const std::string& file, const env::ReadAs& as) {
  const bool from_stdin = file == "-";
  const auto name = from_stdin ? std::string("stdin") : file;
  const auto text = read_file_or_pipe(from_stdin ? "/dev/stdin" : file, env::kMostFileBytes);
  if (!text) return Failure{fmt::format("{}: {}", plain_text(name), text.sentence())};
  auto settings = env::read_settings(name, *text, as);
  if (!settings) return Failure{plain_text(name + settings.sentence())};
  const bool detected = as.format == env::Format::detected;
  const auto format = detected ? env::detected_format(name, *text) : as.format;
  if (const int line = format == env::Format::shell ? env::statements_of(*text, 1).open_quote : 0;
      line != 0)
    say(fmt::format("note: {}:{}: a quote is not closed: what is behind it is not read.",
                    plain_text(name), line));
  return settings;
}

Result<Settings> read_sources(const DoctorEnvConfig& config) {
  Settings settings;
  for (const auto& file : config.files) {
    int scope = 1;
    for (const auto& setting : settings) scope = std::max(scope, setting.scope + 1);
    auto more = read_source(file, {config.format, scope, config.nccl});
    if (!more) return more;
    add_settings(settings, *std::move(more));
  }
  return settings;
}

// As userHomeDir() of NCCL's src/misc/param.cc.
std::string home_of(const Environment& environment, const env::Release& nccl) {
  constexpr env::Release kTakesHome{30, 3};
  if (nccl >= kTakesHome) return environment.get("HOME").value_or("");
  const auto* user = getpwuid(getuid());
  return user == nullptr ? std::string() : user->pw_dir;
}

// The files that NCCL reads beside the environment, in its order (initEnv() of src/misc/param.cc).
std::vector<std::string> conf_files(const Environment& environment, const env::Release& nccl) {
  constexpr env::Release kReadsConfFile{23, 0};
  std::vector<std::string> files;
  const auto named = environment.get("NCCL_CONF_FILE").value_or("");
  if (!named.empty() && nccl >= kReadsConfFile) {
    files.push_back(named);
    if (!std::filesystem::exists(named))
      say(fmt::format("note: NCCL_CONF_FILE names {}, which does not exist: NCCL goes on without.",
                      plain_text(named)));
  } else if (const auto home = home_of(environment, nccl); !home.empty()) {
    files.push_back(home + "/.nccl.conf");
  }
  files.emplace_back("/etc/nccl.conf");
  return files;
}

std::string closing_line(const DoctorEnvConfig& config, const std::vector<Finding>& findings,
                         std::size_t nvariables) {
  const auto version =
      fmt::format("read as NCCL {} does{}", text_of(config.nccl),
                  !config.nccl_is_given ? ", the newest known here (--nccl VERSION names another)"
                  : env::is_newer_than_known(config.nccl)
                      ? ", as far as " + text_of(env::kNewest) + " is known here"
                      : "");
  const auto variables = counted(nvariables, "variable");
  if (nvariables == 0 && findings.empty())
    return "no variable of NCCL or the libraries beside it is set\n";
  if (findings.empty()) return fmt::format("nothing looks wrong: {}, {}\n", variables, version);
  return closing_text(findings, fmt::format(" about {}, {}", variables, version));
}

std::string env_text(const DoctorEnvConfig& config, const std::vector<Finding>& findings,
                     std::size_t nvariables) {
  std::string text;
  for (const auto& finding : findings) text += finding_text(finding);
  return text + closing_line(config, findings, nvariables);
}

std::string env_json(const DoctorEnvConfig& config, const std::vector<Finding>& findings,
                     std::size_t nvariables) {
  constexpr int kDoctorEnvSchema = 1;
  json::Json document{{"kind", "doctor_env"},
                      {"schema", kDoctorEnvSchema},
                      {"nccl_version", text_of(config.nccl)},
                      {"variables", nvariables}};
  auto& list = document["findings"] = json::Json::array();
  for (const auto& finding : findings) list.push_back(finding_json(finding));
  return json::document(std::move(document));
}

}  // namespace

std::vector<env::Setting> settings_here(const Environment& environment, const env::Release& nccl) {
  auto settings = env::settings_of(environment);
  std::error_code ignored;
  for (const auto& file : conf_files(environment, nccl)) {
    if (!std::filesystem::exists(file, ignored)) continue;
    auto lines = read_source(file, {.format = env::Format::nccl_conf, .nccl = nccl});
    if (lines)
      add_settings(settings, *std::move(lines));
    else
      say("note: not read: " + lines.sentence());
  }
  return settings;
}

ExitCode doctor_env(const CommandInput& input) {
  if (answers_help(input.call.words, Audience::doctor_env)) return ExitCode::ok;
  const auto config = parse_doctor_env(input.call.words);
  if (!config) return refuse(config.sentence());
  if (const auto why = unknown_finding(config->skip)) return refuse(*why);
  auto settings = config->files.empty()
                      ? Result<Settings>(settings_here(input.environment, config->nccl))
                      : read_sources(*config);
  if (!settings) return refuse(settings.sentence());
  auto findings = env::examine(*settings, config->nccl);
  leave_out(findings, config->skip);
  std::set<std::string_view> names;
  for (const auto& setting : *settings)
    if (const auto name = env::bare_name(setting.name); env::family_of(name) != nullptr)
      names.insert(name);
  TextFile::standard_output().write(
      (config->json ? env_json : env_text)(*config, findings, names.size()));
  return any_from(findings, config->fail_on) ? ExitCode::finding : ExitCode::ok;
}

}  // namespace linerate
