// Every option by its short and its long name, every default, and the table's own rules.
#include "cli/option.h"

#include "unit/cli/command_line.h"
#include "unit/cli/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace linerate {
namespace {

using ::testing::IsEmpty;

// What one option does, and what it needs beside it.
struct Example {
  std::string short_name;  // empty: none
  std::string long_name;
  std::string value;  // empty: a flag
  Fields changes;
  Words beside = {};
};

void PrintTo(const Example& example, std::ostream* out) { *out << example.long_name; }

std::vector<Example> nccl_tests_examples() {
  return {
      {"t", "nthreads", "2", {{"nthreads", "2"}}},
      {"g", "ngpus", "8", {{"ngpus", "8"}}},
      {"b", "minbytes", "8", {{"min_bytes", "8"}}},
      {"e", "maxbytes", "1.5G", {{"max_bytes", "1610612736"}}},
      {"i", "stepbytes", "64k", {{"step_bytes", "65536"}}},
      {"f", "stepfactor", "4", {{"step_factor", "4"}}},
      {"n", "iters", "0x10", {{"iters", "16"}}},
      {"m", "agg_iters", "5", {{"agg_iters", "5"}}},
      {"w", "warmup_iters", "0", {{"warmup_iters", "0"}}},
      {"N", "run_cycles", "0", {{"run_cycles", "0"}}},
      {"p", "parallel_init", "1", {{"parallel_init", "true"}}},
      {"c", "check", "0", {{"check", "0"}}},
      {"o", "op", "mulsum", {{"ops", "mulsum "}}},
      {"d", "datatype", "bfloat16", {{"types", "bfloat16 "}}},
      {"r", "root", "-1", {{"root", "-1"}}},
      {"z", "blocking", "3", {{"blocking", "3"}}},
      {"y", "stream_null", "1", {{"stream_null", "true"}}},
      {"T", "timeout", "2.5", {{"timeout_s", "2.5"}}},
      {"G", "cudagraph", "7", {{"cudagraph", "7"}}},
      {"C", "report_cputime", "1", {{"report_cputime", "true"}}},
      {"a", "average", "3", {{"average", "3"}}},
      {"R", "local_register", "2", {{"local_register", "2"}}},
      {"x", "cta_policy", "0", {{"cta_policy", "0"}}},
      {"D",
       "device_implementation",
       "4",
       {{"device_implementation", "4"}, {"local_register", "2"}},
       {"-R", "2"}},
      {"V",
       "device_cta_count",
       "128",
       {{"device_ctas", "128"}, {"device_implementation", "1"}, {"local_register", "2"}},
       {"-R", "2", "-D", "1"}},
      {"J", "output_file", "out.JSON", {{"json_file", "out.JSON"}}},
      {"S", "report_timestamps", "1", {{"report_timestamps", "true"}}},
      {"M", "memory", "1", {{"report_memory", "true"}}},
      {"u", "unalign", "3", {{"unalign", "3"}}},
      {"I", "per_iter_timing", "1", {{"per_iter_timing", "true"}}},
      {"K",
       "per_iter_skip",
       "19",
       {{"per_iter_skip", "19"}, {"per_iter_timing", "true"}},
       {"-I", "1"}},
  };
}

std::vector<Example> own_examples() {
  return {
      {"", "backend", "mpi", {{"backend", "mpi"}}},
      {"", "algo", "ring", {{"algorithm", "ring"}}},
      {"", "nprocs", "4", {{"nprocs", "4"}}},
      {"", "jsonl", "run.jsonl", {{"jsonl_file", "run.jsonl"}}},
      {"", "csv", "run.csv", {{"csv_file", "run.csv"}}},
      {"", "samples", "", {{"keep_samples", "true"}, {"jsonl_file", "x"}}, {"--jsonl", "x"}},
      {"", "show-algo", "", {{"show_algorithms", "true"}}},
      {"", "repeat", "3", {{"repeat", "3"}}},
      {"", "stop", "ci=1%,max=5s", {{"stop", "0.01 5"}}},
      {"", "sync", "none", {{"sync", "1"}}},
      {"", "skew", "uniform:50us", {{"skew", "uniform:50us"}}},
      {"", "beside", "gemm:256", {{"beside", "gemm:256"}}},
      {"", "buffers", "fixed", {{"sliding", "1"}}},
      {"", "limit-memory", "2G", {{"limit_memory", "2147483648"}}},
      {"", "list", "", {{"list", "true"}}},
      {"", "dry-run", "", {{"dry_run", "true"}}},
      {"", "progress", "off", {{"progress", "false"}}},
      {"", "seed", "42", {{"seed", "42"}}},
      {"", "nccl-lib", "libnccl.so.2", {{"nccl_library", "libnccl.so.2"}}},
      {"", "nccl-tests-config", "", {{"nccl_tests_config", "true"}}},
      {"", "oversubscribe", "", {{"oversubscribe", "true"}}},
      {"", "report-init", "", {{"report_init", "true"}}},
      {"", "watch-health", "", {{"watches_health", "true"}}},
      {"", "expect", "off", {{"expects", "false"}}},
      {"", "verdict", "", {{"lists_verdicts", "true"}}},
      {"", "fail-below", "0.9", {{"fail_below", "0.9"}}},
      {"",
       "fail-unsure",
       "",
       {{"fail_unsure", "true"}, {"fail_below", "0.9"}},
       {"--fail-below", "0.9"}},
      {"", "emulate", "racks.yaml", {{"emulate_file", "racks.yaml"}}},
      {"", "fake", "noise=2%", {{"fake", "noise=2%"}, {"backend", "fake"}}, {"--backend", "fake"}},
  };
}

std::vector<Example> examples() {
  auto all = nccl_tests_examples();
  for (const auto& example : own_examples()) all.push_back(example);
  return all;
}

Fields changes_of(Words words, const Words& beside) {
  words.insert(words.end(), beside.begin(), beside.end());
  const auto parsed = parse(words);
  EXPECT_TRUE(parsed) << parsed.sentence();
  return parsed ? changed_fields(parsed->config) : Fields{};
}

// The examples of options that `keeps` says yes to.
template <typename Predicate>
std::vector<Example> examples_where(Predicate keeps) {
  std::vector<Example> kept = examples();
  std::erase_if(kept, [&](const Example& example) { return !keeps(example); });
  return kept;
}

bool has_short_name(const Example& example) { return !example.short_name.empty(); }

bool has_default(const Example& example) {
  const auto* row = find_option(Audience::collectives, example.long_name);
  return row != nullptr && !row->default_text.empty();
}

std::string name_of_test(const testing::TestParamInfo<Example>& test) {
  auto name = test.param.long_name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class EveryOption : public testing::TestWithParam<Example> {};
class OptionWithShortName : public testing::TestWithParam<Example> {};
class OptionWithDefault : public testing::TestWithParam<Example> {};

TEST_P(EveryOption, IsReadByItsLongName) {
  const auto& [short_name, long_name, value, changes, beside] = GetParam();
  const auto dashed = "--" + long_name;

  if (value.empty()) {
    EXPECT_EQ(changes_of({dashed}, beside), changes);
    return;
  }
  EXPECT_EQ(changes_of({dashed, value}, beside), changes);
  EXPECT_EQ(changes_of({dashed + "=" + value}, beside), changes);
}

TEST_P(OptionWithShortName, IsReadByIt) {
  const auto& [short_name, long_name, value, changes, beside] = GetParam();

  EXPECT_EQ(changes_of({"-" + short_name, value}, beside), changes);
  EXPECT_EQ(changes_of({"-" + short_name + value}, beside), changes);
}

TEST_P(OptionWithDefault, TakesItAndIsOverruledByALaterValue) {
  const auto& [short_name, long_name, value, changes, beside] = GetParam();
  const auto* row = find_option(Audience::collectives, long_name);
  const auto dashed = "--" + long_name;

  EXPECT_EQ(changes_of({dashed, std::string(row->default_text), dashed, value}, beside), changes);
}

INSTANTIATE_TEST_SUITE_P(Cli, EveryOption, testing::ValuesIn(examples()), name_of_test);
INSTANTIATE_TEST_SUITE_P(Cli, OptionWithShortName,
                         testing::ValuesIn(examples_where(has_short_name)), name_of_test);
INSTANTIATE_TEST_SUITE_P(Cli, OptionWithDefault, testing::ValuesIn(examples_where(has_default)),
                         name_of_test);

TEST(OptionTable, HasAnExampleInThisTestForEveryRow) {
  // at-once: parse_test.cc; collectives and pairs: parse_suite_test.cc
  std::set<std::string, std::less<>> tested{"help", "version", "at-once", "collectives", "pairs"};
  for (const auto& example : examples()) tested.insert(example.long_name);

  for (const auto& group : option_groups(Audience::both))
    for (const auto& row : group.rows) EXPECT_TRUE(tested.contains(row.long_name)) << row.label();
}

TEST(OptionTable, HasEveryShortNameOfNcclTests) {
  for (const char name : std::string_view("tgbeifnmwNpIKcodrzyThGCaRxDVJSMu"))
    EXPECT_NE(find_option(Audience::collectives, name), nullptr) << name;
}

TEST(OptionTable, GivesEachNameOncePerTool) {
  for (const auto audience :
       {Audience::collectives, Audience::p2p, Audience::suite, Audience::memcpy, Audience::topo,
        Audience::place, Audience::tune, Audience::compare, Audience::doctor_env,
        Audience::doctor_hang, Audience::doctor_log, Audience::doctor_prove,
        Audience::doctor_results, Audience::doctor_node, Audience::doctor_snapshot,
        Audience::report}) {
    std::set<std::string_view> long_names;
    std::multiset<char> short_names;
    for (const auto* row : option_rows(audience)) {
      EXPECT_TRUE(long_names.insert(row->long_name).second) << row->label();
      if (row->short_name != 0) short_names.insert(row->short_name);
    }
    for (const char name : short_names) EXPECT_EQ(short_names.count(name), 1u) << name;
  }
}

TEST(OptionTable, NamesDefaultsThatAreThoseOfTheConfiguration) {
  for (const auto& group : option_groups(Audience::both))
    for (const auto& row : group.rows) {
      if (row.default_text.empty() || row.audience == Audience::p2p) continue;
      RunConfig config;
      EXPECT_EQ(apply(row, {row.long_name, row.default_text}, config), std::nullopt) << row.label();
      EXPECT_THAT(changed_fields(config), IsEmpty()) << row.label();
    }
}

TEST(OptionTable, NamesDefaultsOfVariablesThatAreThoseOfTheConfiguration) {
  for (const auto& row : variables()) {
    if (row.default_text.empty()) continue;
    RunConfig config;
    EXPECT_EQ(row.apply({row.name, row.default_text}, config), std::nullopt) << row.name;
    EXPECT_THAT(changed_fields(config), IsEmpty()) << row.name;
  }
}

TEST(OptionTable, HasTheDefaultsOfNcclTests) {
  const Fields defaults = fields_of(config_of({}));

  const Fields expected{{"nthreads", "1"},     {"ngpus", "1"},       {"min_bytes", "33554432"},
                        {"step_factor", "1"},  {"iters", "20"},      {"max_bytes", "33554432"},
                        {"agg_iters", "1"},    {"check", "1"},       {"step_bytes", "1048576"},
                        {"warmup_iters", "1"}, {"run_cycles", "1"},  {"ops", "sum "},
                        {"types", "float "},   {"root", "0"},        {"blocking", "0"},
                        {"timeout_s", "0"},    {"average", "1"},     {"unalign", "0"},
                        {"cudagraph", "0"},    {"device_ctas", "16"}};
  for (const auto& [name, value] : expected) EXPECT_EQ(defaults.at(name), value) << name;
}

}  // namespace
}  // namespace linerate
