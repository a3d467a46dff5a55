// What each source yields, and which sentences refuse what is none.
#include "trainers/data/source.h"

#include "support/folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace linerate::trainers {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using Tokens = std::vector<std::int32_t>;

std::unique_ptr<Source> source_of(const SourceOptions& options) {
  auto source = make_source(options);
  if (!source) throw std::runtime_error(source.sentence());
  return std::move(source).value();
}

Tokens tokens_of(const Source& source, std::uint64_t sequence) {
  Tokens tokens(source.length() + 1);
  source.tokens(sequence, tokens);
  return tokens;
}

struct Read {
  Tokens inputs, targets;
};
Read read(const Source& source, std::uint64_t sequence) {
  Read all{.inputs = Tokens(source.length()), .targets = Tokens(source.length())};
  source.read(sequence, all.inputs, all.targets);
  return all;
}

// A file that ends with the test.
class TextFile {
 public:
  explicit TextFile(std::string_view text) : path_(folder_.write("text", text)) {}
  const std::string& path() const { return path_; }

 private:
  const TemporaryFolder folder_;
  const std::string path_;
};

class MadeUp : public testing::TestWithParam<const char*> {};

TEST_P(MadeUp, IsAFunctionOfSeedAndSequence) {
  const auto source = source_of({.data = GetParam(), .vocabulary = 50, .length = 40, .seed = 7});
  const auto same = source_of({.data = GetParam(), .vocabulary = 50, .length = 40, .seed = 7});
  const auto other = source_of({.data = GetParam(), .vocabulary = 50, .length = 40, .seed = 8});

  const auto late = tokens_of(*source, 1'000'000'000'000);

  EXPECT_EQ(tokens_of(*same, 3), tokens_of(*source, 3));
  EXPECT_EQ(tokens_of(*same, 1'000'000'000'000), late);
  EXPECT_NE(tokens_of(*source, 4), tokens_of(*source, 3));
  EXPECT_NE(tokens_of(*other, 3), tokens_of(*source, 3));
}

TEST_P(MadeUp, UsesTheWholeVocabularyAndNoMore) {
  const auto source = source_of({.data = GetParam(), .vocabulary = 37, .length = 999});

  auto tokens = tokens_of(*source, 0);

  std::ranges::sort(tokens);
  const auto end = std::unique(tokens.begin(), tokens.end());
  EXPECT_EQ(tokens.front(), 0);
  EXPECT_EQ(*(end - 1), 36);
  EXPECT_EQ(end - tokens.begin(), 37);
  EXPECT_FALSE(source->sequences());
}

INSTANTIATE_TEST_SUITE_P(Names, MadeUp, testing::Values("markov", "copy", "random"),
                         [](const auto& name) { return std::string(name.param); });

TEST(Source, ReadsWhatFollowsAsTarget) {
  const auto source = source_of({.data = "markov", .vocabulary = 9, .length = 5});

  const auto all = tokens_of(*source, 2);
  const auto [inputs, targets] = read(*source, 2);

  EXPECT_EQ(inputs, Tokens(all.begin(), all.end() - 1));
  EXPECT_EQ(targets, Tokens(all.begin() + 1, all.end()));
  EXPECT_EQ(source->counted(), 5u);
}

TEST(RandomTokens, HaveTheEntropyOfTheVocabulary) {
  const auto source = source_of({.data = "random", .vocabulary = 50304, .length = 8});

  EXPECT_DOUBLE_EQ(*source->entropy(), std::log(50304.0));
}

class CopyTask : public testing::TestWithParam<std::size_t> {};

TEST_P(CopyTask, RepeatsItsFirstHalf) {
  const auto source = source_of({.data = "copy", .vocabulary = 97, .length = GetParam()});
  const std::size_t half = (GetParam() + 1) / 2;

  const auto tokens = tokens_of(*source, 11);

  for (std::size_t i = half; i < tokens.size(); ++i) EXPECT_EQ(tokens[i], tokens[i - half]);
  EXPECT_EQ(*source->entropy(), 0);
}

// Those of the first half follow from nothing; the first token of the second does.
TEST_P(CopyTask, CountsTargetsOfItsSecondHalf) {
  const auto source = source_of({.data = "copy", .vocabulary = 97, .length = GetParam()});
  const std::size_t half = (GetParam() + 1) / 2;

  const auto [inputs, targets] = read(*source, 11);

  const auto first = static_cast<std::ptrdiff_t>(half) - 1;
  EXPECT_THAT(Tokens(targets.begin(), targets.begin() + first), Each(-1));
  EXPECT_THAT(Tokens(targets.begin() + first, targets.end()), Each(testing::Ge(0)));
  EXPECT_EQ(source->counted(), GetParam() - half + 1);
}

INSTANTIATE_TEST_SUITE_P(Lengths, CopyTask, testing::Values(1, 2, 3, 64, 129));

TEST(File, IsCutIntoSequencesOfBytes) {
  const TextFile file("abcdefg\xff");

  const auto source = source_of({.data = file.path(), .vocabulary = 257, .length = 3});

  EXPECT_EQ(source->sequences(), 2u);
  EXPECT_THAT(tokens_of(*source, 0), ElementsAre('a', 'b', 'c', 'd'));
  EXPECT_THAT(tokens_of(*source, 1), ElementsAre('d', 'e', 'f', 'g'));
  EXPECT_FALSE(source->entropy());
  EXPECT_EQ(source->name(), file.path());
}

TEST(File, MayEndWithItsLastSequence) {
  const TextFile file("abcdef\xff");

  const auto source = source_of({.data = file.path(), .vocabulary = 256, .length = 3});

  EXPECT_EQ(source->sequences(), 2u);
  EXPECT_THAT(tokens_of(*source, 1), ElementsAre('d', 'e', 'f', 255));
}

// Its last sequence would lack the token that follows.
TEST(File, EndsBeforeASequenceThatIsNotWhole) {
  const TextFile file("abcdef");

  const auto source = source_of({.data = file.path(), .vocabulary = 256, .length = 3});

  EXPECT_EQ(source->sequences(), 1u);
}

TEST(Text, IsTheDocumentation) {
  const auto source = source_of({.data = "text", .vocabulary = 256, .length = 64});

  EXPECT_GT(*source->sequences(), 1000u);  // of 64 bytes
  const auto tokens = tokens_of(*source, 0);
  EXPECT_EQ(tokens[0], '#');  // the first page's title
}

std::string refusal(const SourceOptions& options) {
  const auto source = make_source(options);
  return source.ok() ? "" : source.sentence();
}

TEST(Source, OfAnUnknownNameIsRefused) {
  EXPECT_EQ(refusal({.data = "markvo", .vocabulary = 256, .length = 8}),
            "Unknown data 'markvo': choose one of markov, copy, random, text, the path of a file. "
            "Did you mean 'markov'?");
}

TEST(Source, ThatCannotBeReadIsRefused) {
  EXPECT_THAT(refusal({.data = "/no/such/file", .vocabulary = 256, .length = 8}),
              HasSubstr("Data '/no/such/file': No such file or directory."));
  EXPECT_THAT(refusal({.data = "/", .vocabulary = 256, .length = 8}),
              HasSubstr("it is a directory"));
}

TEST(Source, ThatIsTooShortIsRefused) {
  const TextFile file("abcd");

  EXPECT_THAT(refusal({.data = file.path(), .vocabulary = 256, .length = 4}),
              HasSubstr("has 4 bytes: a sequence of 4 needs one more"));
  EXPECT_EQ(refusal({.data = file.path(), .vocabulary = 256, .length = 3}), "");
}

TEST(Source, OfBytesNeedsAVocabularyForThem) {
  EXPECT_THAT(refusal({.data = "text", .vocabulary = 255, .length = 4}),
              HasSubstr("a vocabulary of at least 256: this model has 255."));
  EXPECT_THAT(refusal({.data = "copy", .vocabulary = 1, .length = 4}), HasSubstr("at least 2"));
}

}  // namespace
}  // namespace linerate::trainers
