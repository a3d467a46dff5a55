// The ladder of models, and what is refused.
#include "trainers/model/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace linerate::trainers {
namespace {

using testing::HasSubstr;
using testing::Optional;

TEST(Models, AreALadderByName) {
  std::vector<std::string> names;
  for (const auto& model : models()) names.push_back(model.name);

  EXPECT_THAT(names, testing::ElementsAre("nano", "micro", "mini", "d12", "d24", "d36", "d48",
                                          "llama-mini"));
}

TEST(Models, OfAnUnknownNameAreRefusedWithTheChoices) {
  const auto found = model_named("d13");

  ASSERT_FALSE(found.ok());
  EXPECT_THAT(found.sentence(), HasSubstr("Unknown model 'd13'"));
  EXPECT_THAT(found.sentence(), HasSubstr("nano, micro, mini"));
  EXPECT_THAT(found.sentence(), HasSubstr("Did you mean 'd12'?"));
}

TEST(Models, AreTrainable) {
  for (const auto& model : models()) {
    EXPECT_EQ(model_refusal(model), std::nullopt) << model.name;
    EXPECT_EQ(model_named(model.name)->layers, model.layers);
  }
}

TEST(Models, HaveTheShapesOfTheirKind) {
  const auto d48 = *model_named("d48");
  const auto llama = *model_named("llama-mini");

  EXPECT_EQ(d48.head(), 64u);
  EXPECT_EQ(d48.qkv(), 3 * 1600u);
  EXPECT_EQ(d48.mlp_in(), 4 * 1600u);
  EXPECT_EQ(llama.kv_hidden(), 2 * 64u);
  EXPECT_EQ(llama.qkv(), 512u + 2 * 128);
  EXPECT_EQ(llama.mlp_in(), 2 * 1536u);
  EXPECT_EQ(llama.norm(), NormKind::rms);
}

TEST(ModelRefusal, NamesWhatDoesNotFit) {
  const auto refusal = [](const char* name, auto change) {
    auto model = *model_named(name);
    change(model);
    return model_refusal(model);
  };

  EXPECT_THAT(refusal("nano", [](auto& m) { m.layers = 0; }), Optional(HasSubstr("layers")));
  EXPECT_THAT(refusal("nano", [](auto& m) { m.kv_heads = 0; }), Optional(HasSubstr("kv_heads")));
  EXPECT_THAT(refusal("nano", [](auto& m) { m.heads = m.kv_heads = 3; }),
              Optional(HasSubstr("3 heads do not divide hidden, which is 128")));
  EXPECT_THAT(refusal("llama-mini", [](auto& m) { m.kv_heads = 3; }),
              Optional(HasSubstr("3 key and value heads do not divide the 8 heads")));
  EXPECT_THAT(refusal("llama-mini", [](auto& m) { m.hidden = 8 * 3; }),
              Optional(HasSubstr("3 elements is odd")));
  EXPECT_THAT(refusal("nano", [](auto& m) { m.dropout = 1; }), Optional(HasSubstr("dropout")));
}

TEST(ModelRefusal, AllowsAnOddHeadWithLearnedPositions) {
  auto model = *model_named("nano");
  model.hidden = 4 * 7;

  EXPECT_EQ(model_refusal(model), std::nullopt);
}

}  // namespace
}  // namespace linerate::trainers
