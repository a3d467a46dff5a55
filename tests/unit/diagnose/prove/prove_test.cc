// Which settings can be proven, which commands that makes, and what their runs say.
#include "diagnose/prove/prove.h"

#include "base/text.h"
#include "diagnose/env/env.h"
#include "unit/compare/sides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace linerate::prove {
namespace {

using stats::Difference;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Proof& proof_of(std::string_view id) {
  const auto found = find_proof(id);
  EXPECT_TRUE(found.ok()) << id;
  return **found;
}

ComparedCase compared(Difference verdict, double low, double high) {
  return {.effect = {.ratio = (low + high) / 2, .low = low, .high = high, .p = 0.001},
          .verdict = verdict};
}

const ComparedCase kFaster = compared(Difference::faster, 0.4, 0.6);
const ComparedCase kSlower = compared(Difference::slower, 1.4, 1.6);
const ComparedCase kSame = compared(Difference::same, 0.99, 1.01);
const ComparedCase kUnsure = compared(Difference::unsure, 0.9, 1.2);
// It cannot be faster, and may be slower.
const ComparedCase kNotFaster = compared(Difference::unsure, 0.99, 1.3);
constexpr stats::Rule kFivePercent{.smallest = 0.05};

Ruling ruling(const std::vector<ComparedCase>& cases) { return ruling_of(cases, kFivePercent); }

Proved proved(double a_us, double b_us, int runs, Sides sides = {"Ring", {}}) {
  CompareRules rules;
  rules.rule = kFivePercent;
  auto comparison =
      compare_sides(made_side("A", about(a_us, runs)), made_side("B", about(b_us, runs)), rules);
  EXPECT_TRUE(comparison.ok());
  return {proof_of("algorithm"), std::move(sides), *std::move(comparison)};
}

TEST(Proofs, HaveNamesOfTheirOwn) {
  std::set<std::string_view> ids;
  for (const auto& proof : all_proofs()) {
    EXPECT_TRUE(ids.insert(proof.id).second) << proof.id;
    EXPECT_FALSE(proof.what.empty() || proof.what.ends_with('.')) << proof.id;
    EXPECT_THAT(proof.backend, AnyOf("nccl", "mpi", "gloo", "host", "")) << proof.id;
  }
}

TEST(Proofs, SetVariablesThatAreReadToValuesThatTheyTake) {
  for (const auto& proof : all_proofs()) {
    if (!proof.is_variable()) continue;
    ASSERT_NE(env::find_variable(proof.setting), nullptr) << proof.setting;
    if (proof.usual.empty()) continue;
    const std::vector<env::Setting> settings{{.name = std::string(proof.setting),
                                              .value = std::string(proof.usual),
                                              .where = "environment"}};
    for (const auto& finding : env::examine(settings, env::kNewest)) {
      EXPECT_NE(finding.severity, Severity::problem) << finding.rule << ' ' << finding.subject;
      EXPECT_NE(finding.rule, "default-value") << finding.subject;
    }
  }
}

TEST(Proofs, AreSuggestedByRulesThatExist) {
  namespace fs = std::filesystem;
  std::stringstream sources;
  for (const auto* folder : {"/src/diagnose", "/topo/lint"})
    for (const auto& entry :
         fs::recursive_directory_iterator(std::string(LINERATE_SOURCE_DIR) + folder))
      if (entry.path().extension() == ".cc" && entry.path().filename() != "proofs.cc")
        sources << std::ifstream(entry.path()).rdbuf();
  const auto text = sources.str();
  for (const auto& proof : all_proofs())
    for (const auto& rule : split(proof.findings, ' '))
      EXPECT_NE(text.find('"' + rule + '"'), std::string::npos) << rule;
}

TEST(Proofs, AreFoundByTheRuleThatSuggestsThem) {
  EXPECT_THAT(proofs_of("acs"), ElementsAre("p2p", "p2p-level", "gpudirect"));
  EXPECT_THAT(proofs_of("ac"), IsEmpty());
}

TEST(Proofs, RefuseAnUnknownNameWithTheNearest) {
  const auto found = find_proof("algoritm");

  ASSERT_FALSE(found.ok());
  EXPECT_THAT(found.sentence(), HasSubstr("Did you mean 'algorithm'?"));
}

TEST(Sides, SuspectWhatIsSetAndLeaveItOut) {
  const auto sides = sides_of(proof_of("p2p"), "1", {}, {});

  ASSERT_TRUE(sides.ok()) << sides.sentence();
  EXPECT_EQ(sides->a, "1");
  EXPECT_EQ(sides->b, std::nullopt);
}

TEST(Sides, TryTheUsualValueWhereNothingIsSet) {
  const auto sides = sides_of(proof_of("p2p"), {}, {}, {});

  ASSERT_TRUE(sides.ok()) << sides.sentence();
  EXPECT_EQ(sides->a, std::nullopt);
  EXPECT_EQ(sides->b, "1");
}

TEST(Sides, TakeWhatIsAskedFor) {
  const auto sides = sides_of(proof_of("algorithm"), "Ring", "unset", "Tree");

  ASSERT_TRUE(sides.ok()) << sides.sentence();
  EXPECT_EQ(sides->a, std::nullopt);
  EXPECT_EQ(sides->b, "Tree");
}

TEST(Sides, AreRefusedWhereTheyAreEqualOrUnknown) {
  EXPECT_FALSE(sides_of(proof_of("algorithm"), "Ring", {}, "Ring").ok());
  EXPECT_FALSE(sides_of(proof_of("p2p"), {}, {}, "unset").ok());
  const auto unknown = sides_of(proof_of("interface"), {}, {}, {});
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.sentence(), HasSubstr("needs --a or --b"));
}

TEST(Commands, SetAVariableBehindTheLauncher) {
  EXPECT_EQ(command_of(proof_of("protocol"), "LL,Simple", "mpirun -np 2", "perf -g 1"),
            "mpirun -np 2 env NCCL_PROTO=LL,Simple perf -g 1");
  EXPECT_EQ(command_of(proof_of("protocol"), {}, "", "perf"), "env -u NCCL_PROTO perf");
}

TEST(Commands, GiveAnOptionOrWordsInFront) {
  EXPECT_EQ(command_of(proof_of("host-algorithm"), "ring", "", "perf"), "perf --algo ring");
  EXPECT_EQ(command_of(proof_of("host-algorithm"), {}, "", "perf"), "perf");
  EXPECT_EQ(command_of(proof_of("numa"), "0-7", "srun", "perf"), "srun taskset -c 0-7 perf");
  EXPECT_EQ(command_of(proof_of("numa"), {}, "srun", "perf"), "srun perf");
}

TEST(Commands, QuoteWhatAShellWouldRead) {
  EXPECT_EQ(command_of(proof_of("interface"), "eth0; rm -r x", "", "perf"),
            "env 'NCCL_SOCKET_IFNAME=eth0; rm -r x' perf");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(Ruling, IsProvenWhereBIsFasterAndNowhereSlower) {
  EXPECT_EQ(ruling({kFaster}), Ruling::proven);
  EXPECT_EQ(ruling({kSame, kFaster, kUnsure}), Ruling::proven);
}

TEST(Ruling, IsRefutedWhereBCannotBeFasterInAnyCase) {
  EXPECT_EQ(ruling({kSame}), Ruling::refuted);
  EXPECT_EQ(ruling({kSame, kSlower, kNotFaster}), Ruling::refuted);
}

TEST(Ruling, IsOpenWhereACaseMightBeFaster) {
  EXPECT_EQ(ruling({kUnsure}), Ruling::undecided);
  EXPECT_EQ(ruling({kSame, kSlower, kUnsure}), Ruling::undecided);
  constexpr auto kNone = stats::Effect::kNone;
  EXPECT_EQ(ruling({compared(Difference::unsure, kNone, kNone)}), Ruling::undecided);
}

TEST(Ruling, IsOpenWhereItDependsOnTheSize) {
  EXPECT_EQ(ruling({kFaster, kSlower}), Ruling::undecided);
}

TEST(ProvedText, SaysWhatToSetOrToLeaveOut) {
  EXPECT_THAT(proved_text(proved(100, 50, 8), false),
              HasSubstr("proven: NCCL_ALGO unset is faster than NCCL_ALGO=Ring\n"
                        "  -> leave NCCL_ALGO out\n"));
  EXPECT_THAT(proved_text(proved(100, 50, 8, {{}, "Tree"}), false),
              HasSubstr("proven: NCCL_ALGO=Tree is faster than NCCL_ALGO unset\n"
                        "  -> set NCCL_ALGO=Tree\n"));
  EXPECT_THAT(proved_text(proved(50, 100, 8), false),
              HasSubstr("refuted: NCCL_ALGO unset is not faster than NCCL_ALGO=Ring\n"
                        "  -> set NCCL_ALGO=Ring\n"));
}

TEST(ProvedText, LeavesWhatMakesNoDifferenceAndAsksForMoreRuns) {
  EXPECT_THAT(proved_text(proved(100, 100, 8), false), HasSubstr("  -> leave it as it is"));
  EXPECT_THAT(proved_text(proved(100, 50, 2), false),
              AllOf(HasSubstr("not decided: "), HasSubstr("--repeat")));
}

TEST(ProvedJson, HasTheVerdictAndTheComparison) {
  const auto told = nlohmann::json::parse(proved_json(proved(100, 50, 8)));

  EXPECT_EQ(told["kind"], "doctor_prove");
  EXPECT_EQ(told["verdict"], "proven");
  EXPECT_EQ(told["a"], "NCCL_ALGO=Ring");
  EXPECT_EQ(told["b"], "NCCL_ALGO unset");
  EXPECT_EQ(told["comparison"]["cases"][0]["verdict"], "FASTER");
}

}  // namespace
}  // namespace linerate::prove
