// Every wrong command line and variable, with what its sentence must say.
#include "unit/cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

using ::testing::HasSubstr;

struct Wrong {
  Words words;
  std::vector<std::string> fragments;
};

struct WrongVariable {
  std::string name;
  std::string value;
  std::string fragment;
};

const std::vector<Wrong>& wrong_numbers() {
  static const std::vector<Wrong> kWrong{
      {{"-n", "8k"}, {"-n/--iters '8k'", "whole number from 1"}},
      {{"-n", "abc"}, {"-n/--iters 'abc'"}},
      {{"-n", ""}, {"-n/--iters ''"}},
      {{"-n", "0"}, {"-n/--iters '0'"}},
      {{"-n", "-5"}, {"-n/--iters '-5'"}},
      {{"-n", "+5"}, {"-n/--iters '+5'"}},
      {{"-n", "1e3"}, {"-n/--iters '1e3'"}},
      {{"-n", "010"}, {"'010'", "octal"}},
      {{"-n", "0x"}, {"'0x'"}},
      {{"-n", "99999999999999999999"}, {"-n/--iters"}},
      {{"-n", " 5"}, {"-n/--iters ' 5'"}},
      {{"-m", "0"}, {"-m/--agg_iters '0'"}},
      {{"-m", "-1"}, {"-m/--agg_iters '-1'"}},
      {{"-w", "-1"}, {"-w/--warmup_iters '-1'"}},
      {{"-N", "-1"}, {"-N/--run_cycles '-1'"}},
      {{"-c", "-1"}, {"-c/--check '-1'"}},
      {{"-t", "0"}, {"-t/--nthreads '0'", "from 1 to 4096"}},
      {{"-t", "-2"}, {"-t/--nthreads '-2'"}},
      {{"-g", "0"}, {"-g/--ngpus '0'"}},
      {{"-g", "-2"}, {"-g/--ngpus '-2'"}},
      {{"-t", "100", "-g", "100"}, {"-t 100 x -g 100 makes 10000 ranks"}},
      {{"--nprocs", "0"}, {"--nprocs '0'"}},
      {{"-T", "-1"}, {"-T/--timeout '-1'"}},
      {{"-T", "soon"}, {"-T/--timeout 'soon'", "such as 5s"}},
      {{"-u", "-1"}, {"-u/--unalign '-1'"}},
      {{"-G", "-1"}, {"-G/--cudagraph '-1'"}},
      {{"-V", "0"}, {"-V/--device_cta_count '0'", "from 1 to 128"}},
      {{"-V", "129"}, {"-V/--device_cta_count '129'"}},
      {{"-D", "5"}, {"-D/--device_implementation '5'", "from 0 to 4"}},
      {{"--seed", "-1"}, {"--seed '-1'", "from 0 to 9223372036854775807"}},
      {{"--seed", "18446744073709551615"}, {"from 0 to 9223372036854775807"}},
      {{"--beside", "gem"}, {"--beside 'gem'", "gemm, memory, all_reduce"}},
      {{"--beside", "all_to_all_v"}, {"--beside 'all_to_all_v'"}},
      {{"--beside", "gemm:4"}, {"--beside '4'", "from 8 to 16384"}},
      {{"--beside", "memory:"}, {"--beside ''"}},
      {{"--beside", "memory:1M:MOD2"}, {"has too many parts", "memory:SIZE"}},
      {{"--beside", "all_reduce:1M:MOD0"}, {"MOD takes a whole number from 1"}},
      {{"--beside", "gemm", "-G", "2"}, {"leave out --beside or -G/--cudagraph"}},
      {{"--beside", "gemm", "-z", "1"}, {"leave out --beside or -z/--blocking"}},
      {{"--beside", "gemm", "--skew", "uniform:5us"}, {"leave out --beside or --skew"}},
      {{"--beside", "gemm", "-y", "1"}, {"leave out --beside or -y"}},
      {{"--beside", "gemm", "--backend", "fake"}, {"give a collective"}},
      {{"-r", "-2"}, {"-r/--root '-2' is not a root", "-1 or all"}},
      {{"-r", "al"}, {"-r/--root 'al' is not a root"}},
      {{"-r", "1.5"}, {"-r/--root '1.5' is not a root"}},
  };
  return kWrong;
}

const std::vector<Wrong>& wrong_sizes() {
  static const std::vector<Wrong> kWrong{
      {{"-b", "0"}, {"-b/--minbytes '0' is too small"}},
      {{"-b", "8x"}, {"-b/--minbytes '8x' is not a size", "K, M, G or T"}},
      {{"-b", "8PB"}, {"-b/--minbytes '8PB'"}},
      {{"-b", "-8"}, {"-b/--minbytes '-8'"}},
      {{"-b", "1.5"}, {"'1.5' is not a whole number of bytes", "1.5M"}},
      {{"-b", "1.0000001K"}, {"-b/--minbytes '1.0000001K'", "not a whole number of bytes"}},
      {{"-b", "010"}, {"-b/--minbytes '010'", "octal"}},
      {{"-b", "010K"}, {"-b/--minbytes '010K'", "octal"}},
      {{"-b", "M"}, {"-b/--minbytes 'M'"}},
      {{"-b", "0x10"}, {"-b/--minbytes '0x10'"}},
      {{"-b", "=8"}, {"-b/--minbytes '=8'"}},
      {{"-e", "9999999T"}, {"-e/--maxbytes", "2^62"}},
      {{"-b", "64M"}, {"-b/--minbytes 64 MiB is above -e/--maxbytes 32 MiB, its default", "give"}},
      {{"-b", "16", "-e", "8"}, {"-b/--minbytes 16 B is above -e/--maxbytes 8 B:"}},
      {{"-b", "8", "-e", "16", "-i", "0"}, {"-i/--stepbytes 0 never reaches", "-f 2"}},
      {{"-f", "0"}, {"-f/--stepfactor '0'", "1 means off"}},
      {{"-f", "1.5"}, {"-f/--stepfactor '1.5'", "1 means off"}},
      {{"-f", "x"}, {"-f/--stepfactor 'x'"}},
      {{"-f", "-2"}, {"-f/--stepfactor '-2'"}},
      {{"--limit-memory", "0"}, {"--limit-memory '0' is too small"}},
  };
  return kWrong;
}

const std::vector<Wrong>& wrong_choices() {
  static const std::vector<Wrong> kWrong{
      {{"-d", "foo"}, {"Unknown data type 'foo'", "int8, uint8", "f8e5m2, all"}},
      {{"-d", "FLOAT"}, {"Unknown data type 'FLOAT'"}},
      {{"-d", "fp16"}, {"Did you mean 'half'?"}},
      {{"-d", "float16"}, {"Did you mean 'half'?"}},
      {{"-d", "bf16"}, {"Did you mean 'bfloat16'?"}},
      {{"-d", "duble"}, {"Did you mean 'double'?"}},
      {{"-o", "foo"}, {"Unknown reduction operator 'foo'", "mulsum, all"}},
      {{"-o", "summ"}, {"Did you mean 'sum'?"}},
      {{"-a", "7"}, {"Unknown -a/--average value '7'", "0, 1, 2, 3"}},
      {{"-z", "4"}, {"Unknown -z/--blocking value '4'", "0, 1, 2, 3"}},
      {{"-z", "-1"}, {"Unknown -z/--blocking value '-1'"}},
      {{"-R", "3"}, {"Unknown -R/--local_register value '3'", "0, 1, 2"}},
      {{"-x", "3"}, {"Unknown -x/--cta_policy value '3'", "-1, 0, 1, 2"}},
      {{"-p", "2"}, {"Unknown -p/--parallel_init value '2'", "0, 1"}},
      {{"-y", "2"}, {"Unknown -y/--stream_null value '2'"}},
      {{"-C", "2"}, {"Unknown -C/--report_cputime value '2'"}},
      {{"-S", "yes"}, {"Unknown -S/--report_timestamps value 'yes'"}},
      {{"-M", "2"}, {"Unknown -M/--memory value '2'"}},
      {{"-I", "2"}, {"Unknown -I/--per_iter_timing value '2'"}},
      {{"--backend", "hots"}, {"one of auto, host, mpi, gloo, nccl, fake. Did you mean 'host'?"}},
      {{"--backend", "rccl"},
       {"Unknown --backend value 'rccl'", "one of auto, host, mpi, gloo, nccl, fake."}},
      {{"--sync", "barriers"}, {"barrier, none", "Did you mean 'barrier'?"}},
      {{"--buffers", "slides"}, {"slide, fixed", "Did you mean 'slide'?"}},
      {{"--progress", "yes"}, {"auto, on, off"}},
  };
  return kWrong;
}

const std::vector<Wrong>& wrong_words() {
  static const std::vector<Wrong> kWrong{
      {{"8"}, {"'8' belongs to no option"}},
      {{"-b", "8", "16"}, {"'16' belongs to no option"}},
      {{"-1"}, {"'-1' belongs to no option"}},
      {{""}, {"'' belongs to no option"}},
      {{"-"}, {"'-' belongs to no option"}},
      {{"--"}, {"'--' belongs to no option"}},
      {{"-b", "8", "--", "-e"}, {"'--' belongs to no option"}},
      {{"NCCL_DEBUG=INFO"}, {"before the program", "NCCL_DEBUG=INFO all_reduce_perf"}},
      {{"--minb", "8"}, {"Unknown option '--minb'", "did you mean '--minbytes'?"}},
      {{"--itres", "8"}, {"did you mean '--iters'?"}},
      {{"--agg-iters=8"}, {"Unknown option '--agg-iters'", "did you mean '--agg_iters'?"}},
      {{"--foo"}, {"Unknown option '--foo'. -h lists"}},
      {{"--frobnicate"}, {"Unknown option '--frobnicate'. -h lists"}},
      {{"-q"}, {"Unknown option '-q'. -h lists"}},
      {{"-B", "8"}, {"Unknown option '-B': did you mean '-b'?"}},
      {{"-minbytes", "8"}, {"'-minbytes' is read as -m", "did you mean '--minbytes'?"}},
      {{"-nprocs=2"}, {"did you mean '--nprocs'?"}},
      {{"--minbytes="}, {"'--minbytes=' has no value"}},
      {{"-b"}, {"-b/--minbytes needs a value: SIZE"}},
      {{"--minbytes"}, {"-b/--minbytes needs a value"}},
      {{"--backend"}, {"--backend needs a value: NAME"}},
      {{"-hb"}, {"-b/--minbytes needs a value"}},
      {{"--samples=5"}, {"--samples takes no value, so '=5'"}},
      {{"--dry-run=false"}, {"--dry-run takes no value"}},
      {{"--dry-run=true"}, {"--dry-run takes no value, so '=true'"}},
      {{"--dry-run={}"}, {"--dry-run takes no value"}},
      {{"--help=x"}, {"-h/--help takes no value"}},
  };
  return kWrong;
}

const std::vector<Wrong>& wrong_together() {
  static const std::vector<Wrong> kWrong{
      {{"-K", "1"}, {"-K/--per_iter_skip", "give -I 1"}},
      {{"-I", "1", "-K", "20"}, {"-K/--per_iter_skip 20", "-n/--iters 20"}},
      {{"-I", "1", "-K", "-1"}, {"-K/--per_iter_skip '-1'"}},
      {{"-I", "1", "-G", "1"}, {"leave out -I or -G/--cudagraph"}},
      {{"-D", "1"}, {"-D/--device_implementation", "give -R 2"}},
      {{"-V", "8"}, {"-V/--device_cta_count", "give -D too"}},
      {{"-D", "1", "-R", "2", "-V", "8", "--oversubscribe"},
       {"-V/--device_cta_count 8", "share a GPU", "at most -V 4"}},
      {{"-J", "out.txt"}, {"-J/--output_file 'out.txt' does not end in .json"}},
      {{"-J", "json"}, {"does not end in .json"}},
      {{"-J", ""}, {"-J/--output_file needs the name of a file"}},
      {{"--jsonl", "-"}, {"--jsonl '-' is not a file", "stdout"}},
      {{"--jsonl", "x", "--csv", "./x"}, {"--jsonl and --csv name the same file, './x'"}},
      {{"-J", "a.json", "--csv", "a.json"}, {"-J/--output_file and --csv name the same file"}},
      {{"-J", "d/../a.json", "--jsonl", "a.json"}, {"-J/--output_file and --jsonl name the same"}},
      {{"--samples"}, {"--samples", "give --jsonl FILE"}},
      {{"--fail-below", "0.9", "--expect", "off"}, {"--fail-below", "--expect off"}},
      {{"--fail-below", "1.5"}, {"--fail-below", "1"}},
      {{"--fail-unsure"}, {"--fail-unsure", "--fail-below"}},
      {{"--expect", "maybe"}, {"--expect", "auto, off"}},
      {{"--fake", "noise=1%"}, {"--fake is for the fake backend", "--backend fake"}},
      {{"--fake", ""}, {"--fake is given an empty value: give SPEC"}},
      {{"--jsonl", "--csv", "x"}, {"--jsonl is followed by the option --csv: give FILE"}},
      {{"--stop", ""}, {"ci, max"}},
      {{"--stop", "ci"}, {"--stop 'ci' has no value. Write it as ci=1%"}},
      {{"--stop", "ci=1"}, {"--stop ci '1' is not a percentage such as 1%"}},
      {{"--stop", "ci=0%"}, {"--stop ci '0%' can stop nothing"}},
      {{"--stop", "ci=100%"}, {"less than 100%"}},
      {{"--stop", "max=0s"}, {"--stop max '0s' can stop nothing", "above 0"}},
      {{"--stop", "max=5x"}, {"--stop max '5x' is not a time"}},
      {{"--stop", "mx=5s"}, {"Unknown --stop rule 'mx'", "Did you mean 'max'?"}},
      {{"--stop", "ci=1%,ci=2%"}, {"--stop ci is given twice"}},
      {{"--stop", "ci=1%,"}, {"Unknown --stop rule ''"}},
  };
  return kWrong;
}

const std::vector<WrongVariable>& wrong_variables() {
  static const std::vector<WrongVariable> kWrong{
      {"NCCL_TESTS_SPLIT", "XOR3", "Unknown NCCL_TESTS_SPLIT operator 'XOR'"},
      {"NCCL_TESTS_SPLIT", "8", "AND, OR, MOD, DIV"},
      {"NCCL_TESTS_SPLIT", "FOO", "AND, OR, MOD, DIV, &, |, %, /. Write it in front of a number"},
      {"NCCL_TESTS_SPLIT", "MOD", "'MOD' has no usable number"},
      {"NCCL_TESTS_SPLIT", "MOD0", "'MOD0' has no usable number: MOD takes a whole number from 1"},
      {"NCCL_TESTS_SPLIT", "%0", "% takes a whole number from 1"},
      {"NCCL_TESTS_SPLIT", "DIV0", "DIV takes a whole number from 1"},
      {"NCCL_TESTS_SPLIT", "/0x0", "/ takes a whole number from 1"},
      {"NCCL_TESTS_SPLIT", "AND3x", "'AND3x' has no usable number"},
      {"NCCL_TESTS_SPLIT", "OR-1", "OR takes a whole number from 0"},
      {"NCCL_TESTS_SPLIT_MASK", "0xg", "'0xg' is not a hexadecimal number"},
      {"NCCL_TESTS_SPLIT_MASK", "0x", "'0x' is not a hexadecimal number"},
      {"NCCL_TESTS_SPLIT_MASK", "-1", "'-1' is not a hexadecimal number"},
      {"NCCL_TESTS_SPLIT_MASK", "11112222333344445", "up to 64 bits"},
      {"NCCL_TESTS_MIN_BW", "fast", "'fast' is not a bandwidth"},
      {"NCCL_TESTS_MIN_BW", "10GB", "'10GB' is not a bandwidth"},
      {"NCCL_TESTS_MIN_BW", "-1", "'-1' is not a bandwidth"},
      {"NCCL_TESTS_MIN_BW", "nan", "'nan' is not a bandwidth"},
      {"NCCL_TESTS_DEVICE", "-1", "NCCL_TESTS_DEVICE '-1'"},
      {"NCCL_TESTS_DEVICE", "gpu0", "NCCL_TESTS_DEVICE 'gpu0'"},
      {"NCCL_TESTS_ALLTOALLV_SPREAD", "1.5", "'1.5' is not a number from 0 to 1"},
      {"NCCL_TESTS_ALLTOALLV_SPREAD", "-0.1", "is not a number from 0 to 1"},
      {"NCCL_TESTS_ALLTOALLV_SPREAD", "x", "is not a number from 0 to 1"},
      {"NCCL_TESTS_ALLTOALLV_MATRIX_SCALE", "0", "give a number above 0"},
      {"NCCL_TESTS_ALLTOALLV_MATRIX_SCALE", "-2", "give a number above 0"},
      {"NCCL_TESTS_ALLTOALLV_PRINT_SUMMARY", "yes", "choose one of 0, 1"},
  };
  return kWrong;
}

void expect_refused(const std::vector<Wrong>& table) {
  for (const auto& [words, fragments] : table) {
    const auto sentence = sentence_of(words);

    EXPECT_NE(sentence, "") << testing::PrintToString(words) << " was taken.";
    for (const auto& fragment : fragments) EXPECT_THAT(sentence, HasSubstr(fragment));
  }
}

TEST(Refusals, SayWhatIsWrongWithANumber) { expect_refused(wrong_numbers()); }

TEST(Refusals, SayWhatIsWrongWithASize) { expect_refused(wrong_sizes()); }

TEST(Refusals, NameTheChoices) { expect_refused(wrong_choices()); }

TEST(Refusals, NameWordsThatAreNoOption) { expect_refused(wrong_words()); }

TEST(Refusals, NameOptionsThatContradictEachOther) { expect_refused(wrong_together()); }

TEST(Refusals, SayWhatIsWrongWithAVariable) {
  for (const auto& [name, value, fragment] : wrong_variables()) {
    const auto sentence = sentence_of({}, {{name, value}});

    EXPECT_EQ(sentence.empty(), fragment.empty()) << name << '=' << value << ": " << sentence;
    EXPECT_THAT(sentence, HasSubstr(fragment));
  }
}

TEST(Refusals, AreOneLineThatEndsLikeASentence) {
  for (const auto* table :
       {&wrong_numbers(), &wrong_sizes(), &wrong_choices(), &wrong_words(), &wrong_together()})
    for (const auto& wrong : *table) {
      const auto sentence = sentence_of(wrong.words);

      EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
      EXPECT_TRUE(sentence.ends_with('.') || sentence.ends_with('?')) << sentence;
    }
}

TEST(Refusals, NeverSpeakInTheWordsOfTheTokeniser) {
  for (const auto& wrong : wrong_words()) {
    const auto sentence = sentence_of(wrong.words);

    for (const auto* word : {"TEXT", "INI", "required", "Run with", "extras"})
      EXPECT_EQ(sentence.find(word), std::string::npos) << sentence;
  }
}

}  // namespace
}  // namespace linerate
