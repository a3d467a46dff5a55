// The table of cases and the sentences below it are those of linerate compare.
#include "base/text.h"
#include "compare/text.h"
#include "compare/words.h"
#include "diagnose/prove/prove.h"
#include "record/json_io.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace linerate::prove {
namespace {

using stats::Difference;

std::string to_have(const Proof& proof, const Value& value) {
  if (!value) return fmt::format("leave {} out", proof.setting);
  const auto words = words_of(proof, value);
  return (proof.is_variable() ? "set " : "run with ") + words;
}

// What was claimed, and what is left of it.
std::string claim_of(const Proved& proved, Ruling ruling) {
  constexpr std::string_view kForms[] = {"{} is faster than {}", "{} is not faster than {}",
                                         "{} may be faster than {}, or not"};
  return fmt::format(fmt::runtime(kForms[static_cast<std::size_t>(ruling)]),
                     words_of(proved.proof, proved.sides.b),
                     words_of(proved.proof, proved.sides.a));
}

std::string advice_of(const Proved& proved, Ruling ruling) {
  const auto& [proof, sides, comparison] = proved;
  const bool slower = comparison.count(Difference::slower) > 0;
  if (ruling == Ruling::proven) return to_have(proof, sides.b);
  if (ruling == Ruling::refuted && slower) return to_have(proof, sides.a);
  if (ruling == Ruling::refuted)
    return fmt::format("leave it as it is: the change makes nothing {:g} % faster here",
                       comparison.rules.rule.smallest * 100);
  if (slower && comparison.count(Difference::faster) > 0)
    return "it depends on the size: look at those that the job uses";
  return "more runs (--repeat), on a quiet machine, or a larger --smallest";
}

}  // namespace

Ruling ruling_of(std::span<const ComparedCase> cases, const stats::Rule& rule) {
  const auto any = [&](Difference verdict) {
    return std::ranges::find(cases, verdict, &ComparedCase::verdict) != cases.end();
  };
  if (any(Difference::faster)) return any(Difference::slower) ? Ruling::undecided : Ruling::proven;
  const double least = 1 / (1 + rule.smallest);
  const auto cannot_be_faster = [&](const ComparedCase& one) {
    return one.verdict == Difference::slower || one.effect.low >= least;  // not with NaN
  };
  return std::ranges::all_of(cases, cannot_be_faster) ? Ruling::refuted : Ruling::undecided;
}

std::string proved_text(const Proved& proved, bool colours) {
  const auto& [proof, sides, comparison] = proved;
  const auto ruling = ruling_of(comparison.cases, comparison.rules.rule);
  return fmt::format("# {}: {}\n{}\n{}: {}\n  -> {}\n", proof.id, proof.what,
                     terminal_text(comparison, colours), name_of(ruling),
                     plain_text(claim_of(proved, ruling)), plain_text(advice_of(proved, ruling)));
}

std::string proved_json(const Proved& proved) {
  constexpr int kProvedSchema = 1;
  const auto& [proof, sides, comparison] = proved;
  const auto ruling = ruling_of(comparison.cases, comparison.rules.rule);
  json::Json document{{"kind", "doctor_prove"},
                      {"schema", kProvedSchema},
                      {"id", proof.id},
                      {"what", proof.what},
                      {"a", words_of(proof, sides.a)},
                      {"b", words_of(proof, sides.b)},
                      {"verdict", name_of(ruling)},
                      {"claim", claim_of(proved, ruling)},
                      {"evidence", fmt::format("{}", fmt::join(summary(comparison), ". "))},
                      {"advice", advice_of(proved, ruling)},
                      {"comparison", json::Json::parse(json_text(comparison))}};
  return json::document(std::move(document));
}

}  // namespace linerate::prove
