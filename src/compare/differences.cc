// Each fact is a set of texts for each side; what two equal sets say needs no line.
#include "compare/differences.h"

#include "base/text.h"
#include "base/units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>

namespace linerate {
namespace {

using Texts = std::set<std::string>;
using TextOfRun = std::function<std::string(const RunInfo&)>;

constexpr std::string_view kUnset = "unset";
constexpr std::string_view kTouched = "bytes touched (-e)";
constexpr std::size_t kMostListed = 4, kMostColumns = 72;

std::string listed(const Texts& texts) {
  std::vector<std::string> words;
  for (const auto& text : texts) {
    if (words.size() == kMostListed) {
      words.push_back(fmt::format("{} more", texts.size() - kMostListed));
      break;
    }
    words.push_back(shortened(plain_text(text), kMostColumns));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

Texts texts_of(const Side& side, const TextOfRun& text_of) {
  Texts texts;
  for (const auto& run : side.runs) {
    auto text = text_of(run.info);
    texts.insert(text.empty() ? std::string(kUnset) : std::move(text));
  }
  return texts;
}

class Differences {
 public:
  Differences(const Side& a, const Side& b) : a_(a), b_(b) {}

  void compare(std::string_view what, const TextOfRun& text_of, bool forbids = false) {
    add(what, texts_of(a_, text_of), texts_of(b_, text_of), forbids);
  }

  // Of what only some runs tell, such as those that other programs made: nothing is unlike.
  void compare_known(std::string_view what, const TextOfRun& text_of, bool forbids = false) {
    auto a = texts_of(a_, text_of), b = texts_of(b_, text_of);
    a.erase(std::string(kUnset));
    b.erase(std::string(kUnset));
    if (!a.empty() && !b.empty()) add(what, a, b, forbids);
  }

  // What cases of the sides are about, where they share none of it.
  void compare_cases(std::string_view what, std::string (*text_of)(const CaseKey&)) {
    const auto texts = [&](const Side& side) {
      Texts all;
      for (const auto& run : side.runs)
        for (const auto& [key, times] : run.cases) {
          const auto text = text_of(key);
          all.insert(text.empty() ? std::string(kUnset) : text);
        }
      return all;
    };
    const auto a = texts(a_), b = texts(b_);
    const bool shared = std::ranges::any_of(a, [&](const auto& text) { return b.contains(text); });
    if (!shared) add(what, a, b, true);
  }

  void add(std::string_view what, const Texts& a, const Texts& b, bool forbids) {
    if (a == b) return;
    differences_.push_back({plain_text(what), listed(a), listed(b), forbids});
  }

  std::vector<SideDifference> sorted() && {
    std::ranges::stable_partition(differences_, &SideDifference::forbids);
    return std::move(differences_);
  }

 private:
  const Side& a_;
  const Side& b_;
  std::vector<SideDifference> differences_;
};

std::string setting_of(const RunInfo& run, std::string_view name) {
  const auto found = std::ranges::find(run.settings, name, &Setting::name);
  return found == run.settings.end() ? std::string() : found->json;
}

// Of records that do not tell it: calls slide over buffers of this size, so that it decides what
// comes from a cache.
std::string touched_of(const RunInfo& run) {
  const auto text = setting_of(run, "max_bytes");
  std::size_t bytes = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (text.empty() || read.ec != std::errc()) return {};
  const bool fixed = setting_of(run, "buffers") == "\"fixed\"";
  return fmt::format("{} of {}", fixed ? "one part" : "all", bytes_text(bytes));
}

using Touched = std::map<CaseKey, std::set<std::uint64_t>>;

Touched touched_by_case(const Side& side) {
  Touched touched;
  for (const auto& run : side.runs)
    for (const auto& [key, times] : run.cases)
      if (times.touched_bytes > 0) touched[key].insert(times.touched_bytes);
  return touched;
}

Texts sizes_of(const std::set<std::uint64_t>& touched) {
  Texts texts;
  for (const auto bytes : touched) texts.insert(bytes_text(bytes));
  return texts;
}

// For the first case of which it is not the same. Without a case of which both sides tell it, what
// the options say.
void compare_touched(Differences& found, const Side& a, const Side& b) {
  const auto of_a = touched_by_case(a), of_b = touched_by_case(b);
  bool told = false;
  for (const auto& [key, bytes] : of_a) {
    const auto other = of_b.find(key);
    if (other == of_b.end()) continue;
    told = true;
    if (other->second == bytes) continue;
    found.add(fmt::format("{} at {}", kTouched, bytes_text(key.bytes)), sizes_of(bytes),
              sizes_of(other->second), true);
    return;
  }
  if (!told) found.compare_known(kTouched, touched_of, true);
}

std::string names_of_devices(const RunInfo& run) {
  Texts names;
  for (const auto& rank : run.ranks)
    if (!rank.device_name.empty()) names.insert(rank.device_name);
  return listed(names);
}

std::string hosts_of(const RunInfo& run) {
  Texts names;
  for (const auto& rank : run.ranks)
    if (!rank.hostname.empty()) names.insert(rank.hostname);
  return listed(names);
}

std::string affinities_of(const RunInfo& run) {
  Texts cores;
  for (const auto& rank : run.ranks)
    if (!rank.affinity.empty()) cores.insert(rank.affinity);
  return listed(cores);
}

bool names_a_file(std::string_view option) {
  for (const std::string_view name : {"--jsonl", "--csv", "-J", "--output_file"})
    if (option == name || option.starts_with(fmt::format("{} ", name)) ||
        option.starts_with(fmt::format("{}=", name)))
      return true;
  return false;
}

// Each option with its value. argv[0] and where files go say nothing of what ran.
std::vector<std::string> options_of(const RunInfo& run) {
  std::vector<std::string> options;
  for (std::size_t i = 1; i < run.args.size(); ++i) {
    if (run.args[i].starts_with('-') || options.empty())
      options.push_back(run.args[i]);
    else
      options.back() += ' ' + run.args[i];
  }
  std::erase_if(options, names_a_file);
  return options;
}

// The options that every run has.
Texts common_options(const Side& a, const Side& b) {
  std::map<std::string, std::size_t> counts;
  for (const auto* side : {&a, &b})
    for (const auto& run : side->runs) {
      const auto options = options_of(run.info);
      for (const auto& option : Texts(options.begin(), options.end())) ++counts[option];
    }
  Texts common;
  for (const auto& [option, count] : counts)
    if (count == a.runs.size() + b.runs.size()) common.insert(option);
  return common;
}

std::string other_options(const RunInfo& run, const Texts& common) {
  auto options = options_of(run);
  std::erase_if(options, [&](const auto& option) { return common.contains(option); });
  return fmt::format("{}", fmt::join(options, " "));
}

// What makes the same case another measurement, in the words of the options.
struct Meaning {
  std::string_view setting, what;
};
constexpr std::array kMeanings{Meaning{"agg_iters", "calls fused into one (-m)"},
                               Meaning{"blocking", "waits between calls (-z)"},
                               Meaning{"average", "whose time it is (-a)"},
                               Meaning{"heading", "the heading of OSU"}};

void compare_meanings(Differences& found) {
  for (const auto& [setting, what] : kMeanings)
    found.compare_known(
        what, [=](const RunInfo& run) { return setting_of(run, setting); }, true);
}

void compare_machines(Differences& found) {
  found.compare_known("hosts", hosts_of);
  found.compare_known("devices", names_of_devices);
  found.compare_known("affinity", affinities_of);
  found.compare_known("kernel", [](const RunInfo& run) { return run.host.kernel; });
  found.compare_known("system", [](const RunInfo& run) { return run.host.system; });
  found.compare_known("governor", [](const RunInfo& run) { return run.host.governor; });
  found.compare_known("huge pages", [](const RunInfo& run) { return run.host.huge_pages; });
  found.compare_known("CPU", [](const RunInfo& run) { return run.cpu_model; });
  found.compare_known("cores", [](const RunInfo& run) {
    return run.ncores > 0 ? fmt::to_string(run.ncores) : std::string();
  });
}

void compare_programs(Differences& found) {
  found.compare_known("version", [](const RunInfo& run) { return run.version; });
  found.compare_known("commit", [](const RunInfo& run) { return run.build.commit; });
  found.compare_known("compiler", [](const RunInfo& run) { return run.build.compiler; });
  found.compare_known("build type", [](const RunInfo& run) { return run.build.build_type; });
  found.compare_known("backend", [](const RunInfo& run) {
    return std::string(trim(fmt::format("{} {}", run.backend, run.backend_version)));
  });
  found.compare_known("transport", [](const RunInfo& run) { return run.transport; });
  found.compare_known("launcher", [](const RunInfo& run) { return run.launcher; });
  found.compare("tuning", [](const RunInfo& run) { return run.tuning; });
  found.compare("emulated network", [](const RunInfo& run) { return run.emulated; });
}

// Names of what both sides record: "NAME=VALUE".
void compare_variables(Differences& found, const Side& a, const Side& b) {
  Texts names;
  for (const auto* side : {&a, &b})
    for (const auto& run : side->runs)
      for (const auto& variable : run.info.environment)
        names.insert(variable.substr(0, variable.find('=')));
  for (const auto& name : names)
    found.compare(name, [&](const RunInfo& run) {
      for (const auto& variable : run.environment)
        if (variable.starts_with(name + '=')) return variable.substr(name.size() + 1);
      return std::string();
    });
}

template <auto Member>
auto values_of(const Side& side) {
  std::set<std::remove_cvref_t<decltype(std::declval<CaseKey>().*Member)>> values;
  for (const auto& run : side.runs)
    for (const auto& [key, times] : run.cases) values.insert(key.*Member);
  return values;
}

// The run's cases without the member; nothing where several would be one.
template <auto Member>
std::optional<std::map<CaseKey, CaseTimes>> without(const SideRun& run) {
  std::map<CaseKey, CaseTimes> cases;
  for (const auto& [key, times] : run.cases) {
    auto less = key;
    less.*Member = CaseKey{}.*Member;
    if (!cases.emplace(std::move(less), times).second) return std::nullopt;
  }
  return cases;
}

// Why --force cannot leave the member out; empty: it has, where the sides share none of its values.
template <auto Member>
std::string forget(Side& a, Side& b, std::string_view name) {
  const auto of_a = values_of<Member>(a), of_b = values_of<Member>(b);
  if (std::ranges::any_of(of_a, [&](const auto& value) { return of_b.contains(value); })) return {};
  for (auto* side : {&a, &b})
    for (auto& run : side->runs) {
      auto cases = without<Member>(run);
      if (!cases)
        return fmt::format(
            "--force cannot tell which cases belong together: {} has several {}, of which {} has "
            "none. Give it runs of one.",
            side == &a ? "A" : "B", name, side == &a ? "B" : "A");
      run.cases = *std::move(cases);
    }
  return {};
}

}  // namespace

std::vector<SideDifference> differences(const Side& a, const Side& b) {
  Differences found(a, b);
  found.compare_cases("collective", [](const CaseKey& key) { return key.collective; });
  found.compare_cases("data type", [](const CaseKey& key) { return key.type; });
  found.compare_cases("operator", [](const CaseKey& key) { return key.redop; });
  found.compare_cases("root", [](const CaseKey& key) { return fmt::to_string(key.root); });
  found.compare_cases("ranks", [](const CaseKey& key) { return fmt::to_string(key.nranks); });
  compare_touched(found, a, b);
  compare_meanings(found);
  found.compare("turns at", [](const RunInfo& run) { return run.turns; });
  compare_machines(found);
  compare_programs(found);
  found.compare("options", [common = common_options(a, b)](const RunInfo& run) {
    return other_options(run, common);
  });
  compare_variables(found, a, b);
  return std::move(found).sorted();
}

std::string forget_unshared(Side& a, Side& b) {
  for (const auto& refusal :
       {forget<&CaseKey::collective>(a, b, "collectives"), forget<&CaseKey::type>(a, b, "types"),
        forget<&CaseKey::redop>(a, b, "operators"), forget<&CaseKey::root>(a, b, "roots"),
        forget<&CaseKey::nranks>(a, b, "numbers of ranks"),
        forget<&CaseKey::group>(a, b, "groups")})
    if (!refusal.empty()) return refusal;
  return {};
}

}  // namespace linerate
