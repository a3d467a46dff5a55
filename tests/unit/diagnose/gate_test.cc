// What verdicts mean for the exit code, and what runs say that have none.
#include "diagnose/gate.h"

#include "unit/diagnose/example.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

using testing::HasSubstr;

Judgement reached(double share) { return {.verdict = "ok", .lowest = result_of(share)}; }

TEST(Gate, FailsBelowTheShareThatIsAskedFor) {
  EXPECT_EQ(pass_gate({.fail_below = 0.9}, reached(0.8), "").code, ExitCode::finding);
  EXPECT_EQ(pass_gate({.fail_below = 0.9}, reached(0.9), "").code, ExitCode::ok);
  EXPECT_EQ(pass_gate({}, reached(0.1), "").code, ExitCode::ok);
}

TEST(Gate, NamesTheResultThatFails) {
  const auto failed = pass_gate({.fail_below = 0.9}, reached(0.8), "");

  EXPECT_EQ(failed.sentence,
            "--fail-below 0.9: 1024 B, two buffers: 32 of 40 GB/s (0.80), bound by memory.");
  EXPECT_EQ(pass_gate({.fail_below = 0.9}, reached(1), "").sentence, "");
}

TEST(Gate, SaysThatTheMachineWasUnstable) {
  auto judgement = reached(0.8);
  judgement.findings = {{.rule = "unstable_machine",
                         .subject = "memory",
                         .evidence = "changed by a factor of 2.0 during the run",
                         .advice = "measure again"}};

  const auto failed = pass_gate({.fail_below = 0.9}, judgement, "");

  EXPECT_EQ(failed.code, ExitCode::finding);
  EXPECT_THAT(failed.sentence, HasSubstr("The machine was unstable: memory changed by a factor"));
}

TEST(Gate, SaysWhyNothingWasJudgedWhereThatIsAskedFor) {
  const auto limited = pass_gate({.fail_below = 0.9}, {}, "nobody was there");
  const auto listed = pass_gate({.lists_verdicts = true}, {}, "nobody was there");

  EXPECT_EQ(limited.code, ExitCode::unavailable);
  EXPECT_THAT(limited.sentence, HasSubstr("--fail-below: nothing was judged: nobody was there."));
  EXPECT_EQ(listed.code, ExitCode::ok);
  EXPECT_THAT(listed.sentence, HasSubstr("--verdict: nothing was judged: nobody was there"));
  EXPECT_EQ(pass_gate({}, {}, "nobody was there").sentence, "");
}

TEST(Gate, HasReasonsOfItsOwn) {
  const auto sentence = [](Gate gate) {
    gate.fail_below = 0.5;
    return pass_gate(gate, {}, "").sentence;
  };

  EXPECT_THAT(sentence({.expects = false}), HasSubstr("--expect off"));
  EXPECT_THAT(sentence({.pairs = true}), HasSubstr("pairs of ranks have a bound on emulated"));
  EXPECT_THAT(sentence({}), HasSubstr("these calls and sizes"));
}

TEST(WhyNoBound, NamesWhatIsNotKnown) {
  EXPECT_THAT(why_no_bound({.backend = "mpi", .transport = "ucx", .nranks = 8, .nnodes = 2}),
              HasSubstr("2 hosts is their network's, and how mpi (ucx) uses it"));
  EXPECT_THAT(why_no_bound({.backend = "gloo", .transport = "TCP", .nranks = 8, .nnodes = 2}),
              HasSubstr("2 hosts is their network's, and it could not be probed"));
  EXPECT_THAT(why_no_bound({.transport = "TCP", .nranks = 8, .nnodes = 2, .ngroups = 2}),
              HasSubstr("2 groups of ranks share the network of 2 hosts"));
  EXPECT_THAT(why_no_bound({.backend = "host", .nranks = 4, .nnodes = 1, .ngroups = 4}),
              HasSubstr("each of the 4 groups is one rank alone"));
  EXPECT_THAT(why_no_bound({.backend = "host", .nranks = 4, .nnodes = 1, .ngroups = 2}),
              HasSubstr("2 groups of ranks share the memory of one host"));
  EXPECT_THAT(why_no_bound({.nranks = 1, .nnodes = 1}), HasSubstr("one rank alone"));
  EXPECT_THAT(why_no_bound({.transport = "TCP", .nranks = 2000, .nnodes = 2}),
              HasSubstr("more than 1024 ranks"));
}

}  // namespace
}  // namespace linerate
