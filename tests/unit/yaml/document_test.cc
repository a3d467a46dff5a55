// One document of YAML, or a sentence about why it is none.
#include "yaml/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace linerate::yaml {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::size_t kMaxBytes = 1000;

std::string about(const std::string& text) {
  const auto document = load_document(text, kMaxBytes);
  return document ? "nothing" : document.sentence();
}

std::string about_much(const std::string& text) {
  const auto document = load_document(text, text.size());
  return document ? "nothing" : document.sentence();
}

std::string nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[') +
         std::string(static_cast<std::size_t>(depth), ']');
}

TEST(YamlDocuments, AreLoaded) {
  const auto document = load_document("a: 1\nb: [2, 3]\n", kMaxBytes);

  ASSERT_TRUE(document) << document.sentence();
  EXPECT_EQ((*document)["b"][1].as<int>(), 3);
}

TEST(YamlDocuments, ThatAreNoneAreToldWithTheirLine) {
  EXPECT_THAT(about("a: 1\nb: [2\n"), StartsWith(", line "));
  EXPECT_THAT(about("a: 1\n  b: 2\n"), StartsWith(", line 2: it is not YAML"));
}

TEST(YamlDocuments, AreOneAndNoMore) {
  EXPECT_THAT(about(""), HasSubstr("does not hold one document"));
  EXPECT_THAT(about("a: 1\n---\nb: 2\n"), HasSubstr("does not hold one document"));
}

TEST(YamlDocuments, KeepToTheirLimits) {
  EXPECT_EQ(about(nested(32)), "nothing");
  EXPECT_EQ(about("a:\n" + nested(33)), ", line 2: maps and lists nest deeper than 32.");
  EXPECT_THAT(about(nested(400)), HasSubstr("nest deeper"));
  EXPECT_EQ(about_much(nested(20'000)), ", line 1: maps and lists nest deeper than 32.");
  EXPECT_THAT(about("a: " + std::string(kMaxBytes, 'x')), HasSubstr("at most 1000 B are read"));
}

}  // namespace
}  // namespace linerate::yaml
