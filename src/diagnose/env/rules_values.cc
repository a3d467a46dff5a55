// Rules about single values: how they are read, and what they do.
#include "base/text.h"
#include "base/units.h"
#include "diagnose/env/found.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <optional>

namespace linerate::env {
namespace {

bool is_whole(const Variable& row) { return row.kind == Kind::whole || row.kind == Kind::flag; }

bool is_decimal(std::string_view value) {
  const auto digits = value.substr(value.starts_with('-') ? 1 : 0);
  return !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
}

bool one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

bool means_yes(std::string_view value) { return one_of(lower(value), {"true", "yes", "on", "y"}); }
bool means_no(std::string_view value) { return one_of(lower(value), {"false", "no", "off", "n"}); }

// Those whose value is here and means something to this version.
template <typename Make>
std::vector<Finding> for_each_value(const Evidence& evidence, Make make) {
  std::vector<Finding> findings;
  for (const auto& setting : evidence.settings) {
    const auto* row = find_variable(setting.name);
    if (row == nullptr || setting.computed || setting.value.empty()) continue;
    if (row->since > evidence.nccl || (row->until != Release{} && row->until < evidence.nccl))
      continue;
    if (auto finding = make(setting, *row)) findings.push_back(*std::move(finding));
  }
  return findings;
}

bool is_read_as_it_stands(const std::string& value) {
  const auto read = read_whole(value);
  return read.digits && read.rest.empty() && !read.octal && !read.too_large;
}

// The number that a misread value was meant to be; empty: who knows.
std::string meant_number(const Setting& setting, const Variable& row, const WholeReading& read) {
  const auto bare = trim(setting.value);
  const auto unquoted = bare.size() > 2 && (bare.front() == '"' || bare.front() == '\'')
                            ? bare.substr(1, bare.size() - 2)
                            : bare;
  if (means_yes(unquoted)) return "1";
  if (is_read_as_it_stands(std::string(unquoted))) return std::string(unquoted);
  const auto decimal = unquoted.find_first_not_of('0');
  if (read.octal && decimal != std::string_view::npos) return std::string(unquoted.substr(decimal));
  const auto bytes = parse_bytes("size", unquoted);
  const bool fits = bytes && *bytes <= static_cast<std::size_t>(row.most);
  return fits ? std::to_string(*bytes) : std::string();
}

std::string misreading(const WholeReading& read, std::string_view library) {
  if (read.too_large)
    return fmt::format("{} reads it as a whole number of 64 bits, which cannot hold it.", library);
  if (!read.digits)
    return fmt::format("{} reads a whole number, and this begins with none: it takes 0.", library);
  if (read.octal && read.rest.empty())
    return fmt::format("{} reads a number with a leading zero as octal: it takes {}.", library,
                       read.value);
  return fmt::format("{} reads the number and drops '{}' behind it: it takes {}.", library,
                     plain_text(std::string(read.rest)), read.value);
}

std::vector<std::string> words_of(std::string_view text, char separator) {
  std::vector<std::string> words;
  for (const auto& word : split(text, separator))
    if (!word.empty()) words.push_back(word);
  return words;
}

// The lists of "ring,tree", "^ring" and "allreduce:ring;broadcast:^tree", one after the other.
std::vector<std::string> list_words(const Setting& setting, Kind kind) {
  std::vector<std::string> words;
  const bool by_function = kind == Kind::by_function;
  for (auto part : words_of(setting.value, by_function ? ';' : '\n')) {
    if (const auto colon = part.find(':'); by_function && colon != std::string::npos)
      part = part.substr(colon + 1);
    if (part.starts_with('^')) part.erase(0, 1);
    for (auto& word : words_of(part, ','))
      words.push_back(by_function ? word : std::string(trim(word)));
  }
  return words;
}

bool is_choice(const std::string& word, const std::vector<std::string>& choices, bool any_case) {
  return std::ranges::any_of(choices, [&](const std::string& choice) {
    return any_case ? lower(choice) == lower(word) : choice == word;
  });
}

// The first word that is none of the choices.
std::optional<std::string> stranger(const Setting& setting, const Variable& row) {
  const auto choices = words_of(row.choices, ' ');
  switch (row.kind) {
    case Kind::text:
    case Kind::path:
    case Kind::whole:
    case Kind::flag:
      return {};
    case Kind::level:
      if (std::isdigit(static_cast<unsigned char>(setting.value.front())) != 0) return {};
      [[fallthrough]];
    case Kind::choice:
      return is_choice(setting.value, choices, false) ? std::nullopt : std::optional(setting.value);
    case Kind::any_case:
      return is_choice(setting.value, choices, true) ? std::nullopt : std::optional(setting.value);
    case Kind::decimal:
      return is_decimal(setting.value) ? std::nullopt : std::optional(setting.value);
    case Kind::boolean:
      return one_of(lower(setting.value),
                    {"1", "t", "true", "y", "yes", "0", "f", "false", "n", "no"})
                 ? std::nullopt
                 : std::optional(setting.value);
    case Kind::list:
    case Kind::by_function:
      for (const auto& word : list_words(setting, row.kind))
        if (!is_choice(word, choices, true)) return word;
      return {};
  }
  __builtin_unreachable();
}

// Of UCX' devices: mlx5_0 instead of mlx5_0:1.
bool lacks_port(const Setting& setting) {
  return setting.name == "UCX_NET_DEVICES" && setting.value.starts_with("mlx5_") &&
         setting.value.find_first_of(":,") == std::string::npos;
}

std::string choose_instead(const Setting& setting, const Variable& row, const std::string& word) {
  if (row.kind == Kind::boolean)
    return fmt::format("set {0}=1 or {0}=0: PyTorch stops at other words", row.name);
  if (row.kind == Kind::decimal) return fmt::format("set {} to a whole number", row.name);
  const auto choices = words_of(row.choices, ' ');
  for (const auto& choice : choices)
    if (lower(choice) == lower(word)) return fmt::format("set {}={}", row.name, choice);
  const std::vector<std::string_view> views(choices.begin(), choices.end());
  const auto near = nearest_match(word, views);
  if (!near.empty() && word == setting.value) return fmt::format("set {}={}", row.name, near);
  return fmt::format("choose one of {}", join(views, ", "));
}

// Settings with a price.
struct Price {
  std::string_view name, value;  // in any case
  Severity severity;
  std::string_view why, advice;
};
constexpr std::string_view kAfterTests =
    "leave it out once the fault that it works around is found";
constexpr auto kPrices = std::to_array<Price>({
    {"NCCL_P2P_DISABLE", "1", Severity::warning,
     "GPUs of a node exchange data through host memory instead of NVLink or PCIe.", kAfterTests},
    {"NCCL_P2P_LEVEL", "LOC", Severity::warning,
     "GPUs of a node exchange data through host memory instead of NVLink or PCIe.", kAfterTests},
    {"NCCL_SHM_DISABLE", "1", Severity::warning,
     "Ranks of a node without peer access talk over the network instead of shared memory.",
     kAfterTests},
    {"NCCL_IB_DISABLE", "1", Severity::warning,
     "Nodes talk over TCP sockets, also where there is InfiniBand or RoCE.",
     "leave it out where there are RDMA adapters"},
    {"NCCL_NET", "Socket", Severity::warning,
     "Nodes talk over TCP sockets, also where there is InfiniBand or RoCE.",
     "leave it out where there are RDMA adapters"},
    {"NCCL_NET_GDR_LEVEL", "LOC", Severity::warning,
     "Data goes from GPU to host memory before it goes to the network: GPUDirect is off.",
     kAfterTests},
    {"NCCL_NVLS_ENABLE", "0", Severity::info,
     "Reductions in the NVSwitches (NVLink SHARP) are off, which are faster where they exist.",
     kAfterTests},
    {"NCCL_CUMEM_ENABLE", "0", Severity::info,
     "Allocation with the cuMem functions is off, which NVLink between hosts needs.", kAfterTests},
    {"NCCL_DEBUG", "TRACE", Severity::warning,
     "The log is written by every rank, and grows with each call.",
     "set NCCL_DEBUG=WARN when nothing is being searched"},
    {"NCCL_DEBUG", "INFO", Severity::info,
     "Every rank writes a log of some hundred lines at its start.",
     "set NCCL_DEBUG=WARN when nothing is being searched"},
    {"CUDA_LAUNCH_BLOCKING", "1", Severity::warning,
     "Each launch waits for its kernel: communication and computation never overlap.",
     "leave it out when nothing is being searched"},
    {"TORCH_NCCL_BLOCKING_WAIT", "1", Severity::warning,
     "wait() blocks the host until the collective has ended, and its overlap is lost.",
     "leave it out: TORCH_NCCL_ASYNC_ERROR_HANDLING, on by default, ends a job that hangs"},
    {"TORCH_DISTRIBUTED_DEBUG", "DETAIL", Severity::warning,
     "PyTorch checks every collective between all ranks before it runs it.",
     "leave it out when nothing is being searched"},
});

}  // namespace

WholeReading read_whole(const std::string& value) {
  WholeReading read;
  char* end = nullptr;
  errno = 0;
  read.value = std::strtoll(value.c_str(), &end, 0);
  read.too_large = errno == ERANGE;
  const auto used = static_cast<std::size_t>(end - value.c_str());
  read.digits = used > 0;
  read.rest = std::string_view(value).substr(used);
  const auto digits = trim(value);
  const auto zero = digits.find_first_not_of("+-");
  read.octal = zero != std::string_view::npos && digits.substr(zero).size() > 1 &&
               digits[zero] == '0' &&
               std::isdigit(static_cast<unsigned char>(digits[zero + 1])) != 0 &&
               digits.substr(zero).find_first_not_of('0') != std::string_view::npos;
  return read;
}

std::optional<long long> whole_of(const Evidence& evidence, std::string_view name) {
  const auto* setting = evidence.find(name);
  if (setting == nullptr || setting->computed || !is_read_as_it_stands(setting->value)) return {};
  return read_whole(setting->value).value;
}

std::vector<Finding> rules::misread_value(const Evidence& evidence) {
  return for_each_value(
      evidence, [](const Setting& setting, const Variable& row) -> std::optional<Finding> {
        if (row.kind == Kind::path && setting.value.starts_with('~'))
          return about(setting, Severity::problem,
                       "NCCL opens the path as it is, and there is no folder '~'.",
                       fmt::format("set {} to the path from / on", row.name));
        // Blanks at the end do no harm, and "false" is the 0 that it is meant to be.
        if (!is_whole(row) || is_read_as_it_stands(std::string(trim(setting.value))) ||
            trim(setting.value).empty() || means_no(trim(setting.value)))
          return {};
        const auto read = read_whole(setting.value);
        const auto meant = meant_number(setting, row, read);
        return about(setting, Severity::problem, misreading(read, family_of(setting.name)->library),
                     meant.empty() ? fmt::format("set {} to a whole number", row.name)
                                   : fmt::format("set {}={}", row.name, meant));
      });
}

std::vector<Finding> rules::out_of_range(const Evidence& evidence) {
  return for_each_value(
      evidence, [&](const Setting& setting, const Variable& row) -> std::optional<Finding> {
        const auto value = whole_of(evidence, row.name);
        if ((!is_whole(row) && row.kind != Kind::decimal) || !value) return {};
        if (*value >= row.least && *value <= row.most && *value % row.step == 0) return {};
        const auto near = std::clamp<long long>(*value - *value % row.step, row.least, row.most);
        const bool has_most = row.most != Variable{}.most;
        return about(setting, Severity::problem,
                     fmt::format("It takes whole numbers {}{}{}.",
                                 has_most ? fmt::format("from {} to {}", row.least, row.most)
                                          : fmt::format("from {} on", row.least),
                                 row.step > 1 ? " that are multiples of " : "",
                                 row.step > 1 ? std::to_string(row.step) : ""),
                     row.kind == Kind::flag ? fmt::format("set {0}=1 or {0}=0", row.name)
                                            : fmt::format("set {}={}", row.name, near));
      });
}

std::vector<Finding> rules::unknown_value(const Evidence& evidence) {
  return for_each_value(
      evidence, [](const Setting& setting, const Variable& row) -> std::optional<Finding> {
        if (lacks_port(setting))
          return about(setting, Severity::problem,
                       "UCX names adapters with their port, and finds none of "
                       "this name.",
                       fmt::format("set UCX_NET_DEVICES={}:1", plain_text(setting.value)));
        const auto word = stranger(setting, row);
        if (!word) return {};
        return about(setting, Severity::problem,
                     fmt::format("{} does not know '{}' here.", family_of(row.name)->library,
                                 plain_text(*word)),
                     choose_instead(setting, row, *word));
      });
}

std::vector<Finding> rules::default_value(const Evidence& evidence) {
  return for_each_value(
      evidence, [&](const Setting& setting, const Variable& row) -> std::optional<Finding> {
        if (row.usual.empty() || row.usual_since > evidence.nccl) return {};
        if (lower(setting.value) != lower(row.usual)) return {};
        return about(setting, Severity::info, "That is the default.",
                     "leave it out, so that a better default of a newer version can act");
      });
}

// NCCL compares prefixes, unless '=' stands in front of the list.
std::vector<Finding> rules::loose_match(const Evidence& evidence) {
  return for_each_value(
      evidence, [](const Setting& setting, const Variable& row) -> std::optional<Finding> {
        const bool hca = row.name == "NCCL_IB_HCA";
        if (!hca && row.name != "NCCL_SOCKET_IFNAME") return {};
        if (setting.value.starts_with('=') || setting.value.starts_with("^=")) return {};
        const bool excludes = setting.value.starts_with('^');
        for (const auto& entry : words_of(setting.value.substr(excludes ? 1 : 0), ',')) {
          const auto word = entry.substr(0, entry.find(':'));
          const bool numbered =
              word.size() > 1 && word.back() == '1' &&
              std::isdigit(static_cast<unsigned char>(word[word.size() - 2])) == 0;
          if (!numbered || (!hca && !word.starts_with("eth"))) continue;
          return about(setting, Severity::info,
                       fmt::format("NCCL compares beginnings: {0} is also {0}0 to {0}9 where these "
                                   "exist.",
                                   plain_text(word)),
                       fmt::format("set {}={}={}", row.name, excludes ? "^" : "",
                                   plain_text(setting.value.substr(excludes ? 1 : 0))));
        }
        return {};
      });
}

std::vector<Finding> rules::costs_speed(const Evidence& evidence) {
  return for_each_value(
      evidence, [](const Setting& setting, const Variable& row) -> std::optional<Finding> {
        for (const auto& price : kPrices) {
          const bool yes = row.kind == Kind::boolean && means_yes(setting.value);
          if (price.name != row.name) continue;
          if (lower(price.value) == lower(setting.value) || (yes && price.value == "1"))
            return about(setting, price.severity, std::string(price.why),
                         std::string(price.advice));
        }
        return {};
      });
}

std::vector<Finding> rules::better_unset(const Evidence& evidence) {
  constexpr Release kChoosesGid{21, 0}, kFallsBackNoMore{24, 0};
  return for_each_value(
      evidence, [&](const Setting& setting, const Variable& row) -> std::optional<Finding> {
        if (row.name == "NCCL_IB_GID_INDEX" && evidence.nccl >= kChoosesGid &&
            whole_of(evidence, row.name).value_or(-1) >= 0)
          return about(setting, Severity::info,
                       "Since 2.21 NCCL finds the index of a RoCE address itself; a fixed one is "
                       "wrong on the node whose table differs.",
                       "leave it out, or choose by NCCL_IB_ADDR_RANGE");
        if (row.name == "NCCL_ALGO" && evidence.nccl >= kFallsBackNoMore &&
            setting.value.find_first_of("^:") == std::string::npos &&
            lower(setting.value).find("ring") == std::string::npos)
          return about(
              setting, Severity::warning,
              "Since 2.24 NCCL no longer falls back to Ring: a collective that has none of "
              "these algorithms fails.",
              fmt::format("name the collectives, as in allreduce:{}, or add ring",
                          lower(plain_text(setting.value))));
        if (row.name == "NCCL_PROTO" && lower(setting.value).find("ll128") != std::string::npos &&
            !setting.value.starts_with('^'))
          return about(setting, Severity::warning,
                       "It allows LL128 also where NCCL would not: on platforms that do not keep "
                       "stores of 128 bytes together data may be corrupted.",
                       "leave it out: NCCL uses LL128 where it is safe");
        if (row.name == "NCCL_SOCKET_IFNAME" && trim(setting.value) == "lo")
          return about(
              setting, Severity::warning,
              "The loopback interface reaches only this host: jobs on several nodes cannot "
              "start.",
              "set NCCL_SOCKET_IFNAME to the interface between the nodes, such as eth0");
        return {};
      });
}

}  // namespace linerate::env
