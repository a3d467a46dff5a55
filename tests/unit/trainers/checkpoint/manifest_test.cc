// A manifest as it is written and read, and every way in which one that is wrong is refused.
#include "trainers/checkpoint/manifest.h"

#include "unit/trainers/checkpoint/sample.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <string>

namespace linerate::trainers {
namespace {

using Json = nlohmann::ordered_json;

Json sample_json() {
  const TemporaryFolder folder;
  auto manifest = write_sample_files(folder.root());
  return Json::parse(manifest_text(manifest));
}

// What is said of a manifest that was changed.
std::string refusal(const std::function<void(Json&)>& change) {
  auto root = sample_json();
  change(root);
  const auto manifest = parse_manifest(root.dump());
  return manifest.ok() ? "taken" : manifest.sentence();
}

std::string wrong(const std::string& key) {
  return "its '" + key + "' is missing, or no value that it can have.";
}

TEST(ManifestText, IsReadAsItWasWritten) {
  const TemporaryFolder folder;
  auto manifest = write_sample_files(folder.root());

  const auto read = parse_manifest(manifest_text(manifest));

  ASSERT_TRUE(read.ok()) << read.sentence();
  EXPECT_EQ(read->step, 7);
  EXPECT_EQ(read->updates, 1);
  EXPECT_EQ(read->loss_scale, manifest.loss_scale);
  EXPECT_EQ(read->configuration, manifest.configuration);
  EXPECT_EQ(read->tensors, manifest.tensors);
  EXPECT_EQ(read->file_bytes, (std::vector<std::uint64_t>{3 * 7 * 4, 3 * 12 * 4}));
  auto again = *read;
  EXPECT_EQ(manifest_text(again), manifest_text(manifest));
}

TEST(ManifestText, IsRefusedWhereItIsNoManifest) {
  for (const auto* text : {"", "{", "[]", "7", "null", "{}", R"({"format":"linerate"})"})
    EXPECT_EQ(parse_manifest(text).sentence(), "it is no manifest of a checkpoint.") << text;
  EXPECT_EQ(parse_manifest(std::string(1 << 20, '[')).sentence(),
            "it is no manifest of a checkpoint.");
  EXPECT_EQ(refusal([](Json& root) {
              root["tensors"] = Json::parse(std::string(99, '[') + std::string(99, ']'));
            }),
            "it is no manifest of a checkpoint.");
  EXPECT_EQ(refusal([](Json& root) { root["version"] = 3; }),
            "it is of another version than 1 and 2.");
}

TEST(ManifestText, IsRefusedByTheFirstMemberThatIsNotAsItShouldBe) {
  for (const auto* key : {"step", "updates", "loss_scale", "clean_steps", "overflows",
                          "configuration", "tensors", "files", "chunks"}) {
    EXPECT_EQ(refusal([&](Json& root) { root.erase(key); }), wrong(key));
    for (const auto& value : {Json("text"), Json(-1), Json(nullptr), Json(0.5), Json(7)}) {
      if (key == std::string("loss_scale") && value.is_number() && value > 0) continue;
      if (value == 7 && (key == std::string("step") || key == std::string("updates") ||
                         key == std::string("clean_steps") || key == std::string("overflows")))
        continue;
      if (value == -1 && (key == std::string("clean_steps") || key == std::string("overflows")))
        continue;
      EXPECT_EQ(refusal([&](Json& root) { root[key] = value; }), wrong(key)) << value;
    }
  }
}

TEST(ManifestText, IsRefusedWhereAChunkLiesOutsideOfItsTensorOrFile) {
  for (const auto& [key, value] :
       std::initializer_list<std::pair<const char*, Json>>{{"tensor", 2},
                                                           {"file", 2},
                                                           {"count", 0},
                                                           {"offset", 1 << 20},
                                                           {"index", 16},
                                                           {"count", (1 << 20) + 1},
                                                           {"offset", ~std::uint64_t{0}},
                                                           {"index", ~std::uint64_t{0}},
                                                           {"count", ~std::uint64_t{0}}})
    EXPECT_EQ(refusal([&](Json& root) { root["chunks"][0][key] = value; }), wrong("chunks"))
        << key << ' ' << value;
  for (const auto* key : {"kind", "type", "crc32"})
    EXPECT_EQ(refusal([&](Json& root) { root["chunks"][0][key] = "half"; }), wrong(key));
}

TEST(ManifestText, IsRefusedWhereElementsAreMissingOrThereTwice) {
  EXPECT_EQ(refusal([](Json& root) { root["chunks"].erase(1); }),
            "it lacks elements of master of 'first.weight' from 7 on, or has them twice.");
  EXPECT_EQ(refusal([](Json& root) { root["chunks"].erase(root["chunks"].size() - 1); }),
            "it lacks elements of v of 'second' from 0 on, or has them twice.");
  EXPECT_EQ(refusal([](Json& root) { root["chunks"].push_back(root["chunks"][1]); }),
            "it lacks elements of master of 'first.weight' from 9 on, or has them twice.");
  EXPECT_EQ(refusal([](Json& root) { root["chunks"].push_back(root["chunks"].back()); }),
            "it lacks elements of v of 'second' from 4 on, or has them twice.");
  EXPECT_EQ(refusal([](Json& root) { root["chunks"] = Json::array(); }),
            "it lacks elements of master of 'first.weight' from 0 on, or has them twice.");
}

// Columns 0 and 1 of all rows, then column 2 of rows 0 to 2 and of the others: of `kind`, instead
// of the slices of the sample.
void put_boxes(Json& root) {
  Json chunks = Json::array();
  for (const auto& chunk : root["chunks"])
    if (chunk["tensor"] != 0) chunks.push_back(chunk);
  for (const auto* kind : {"master", "m", "v"})
    for (const auto& [offsets, sizes] : std::initializer_list<std::pair<Json, Json>>{
             {{0, 0}, {5, 2}}, {{0, 2}, {3, 1}}, {{3, 2}, {2, 1}}})
      chunks.push_back({{"tensor", 0},
                        {"kind", kind},
                        {"type", "float"},
                        {"offsets", offsets},
                        {"sizes", sizes},
                        {"file", 0},
                        {"offset", 0},
                        {"crc32", 0}});
  root["chunks"] = std::move(chunks);
}

std::string refusal_of_box(const std::function<void(Json& box)>& change) {
  return refusal([&](Json& root) {
    put_boxes(root);
    for (auto& chunk : root["chunks"])
      if (chunk["tensor"] == 0 && chunk["kind"] == "m" && chunk["sizes"] == Json({3, 1}))
        return change(chunk);
  });
}

TEST(ManifestText, TakesBoxesThatCoverEachElementOnce) {
  auto root = sample_json();
  put_boxes(root);
  auto manifest = parse_manifest(root.dump());
  ASSERT_TRUE(manifest.ok()) << manifest.sentence();
  EXPECT_EQ(manifest->chunks[0].what.run, 2u);

  auto taken = *manifest;
  const auto again = parse_manifest(manifest_text(taken));
  ASSERT_TRUE(again.ok()) << again.sentence();
  EXPECT_EQ(again->chunks[2].what.index, 11u);
}

TEST(ManifestText, HasNoBoxesInTheFirstVersion) {
  EXPECT_EQ(refusal([](Json& root) { root["version"] = 1; }), "taken");
  EXPECT_EQ(refusal([](Json& root) {
              put_boxes(root);
              root["version"] = 1;
            }),
            wrong("offsets"));
}

TEST(ManifestText, IsRefusedWhereBoxesOverlapLeaveAGapOrLieOutside) {
  const auto lacks = [](int from) {
    return "it lacks elements of m of 'first.weight' from " + std::to_string(from) +
           " on, or has them twice.";
  };
  EXPECT_EQ(refusal_of_box([](Json&) {}), "taken");
  EXPECT_EQ(refusal_of_box([](Json& box) { box["sizes"] = {4, 1}; }), lacks(14));
  EXPECT_EQ(refusal_of_box([](Json& box) { box["sizes"] = {2, 1}; }), lacks(8));
  EXPECT_EQ(refusal_of_box([](Json& box) { box["offsets"] = {0, 1}; }), lacks(2));
  EXPECT_EQ(refusal_of_box([](Json& box) { box["offsets"] = {3, 2}; }), wrong("offsets"));
  EXPECT_EQ(refusal_of_box([](Json& box) { box["offsets"] = {0, 3}; }), wrong("offsets"));
  EXPECT_EQ(refusal_of_box([](Json& box) { box["sizes"] = {0, 1}; }), wrong("offsets"));
  EXPECT_EQ(refusal_of_box([](Json& box) { box["sizes"] = {3}; }), wrong("offsets"));
  EXPECT_EQ(refusal_of_box([](Json& box) {
              box["offsets"] = {~std::uint64_t{0}, 2};
            }),
            wrong("offsets"));
  EXPECT_EQ(refusal_of_box([](Json& box) { box["tensor"] = 1; }), wrong("offsets"));
}

TEST(ManifestText, IsRefusedWhereASizeOrATextIsOutOfBounds) {
  const auto shape = [](const Json& value) {
    return refusal([&](Json& root) { root["tensors"][0]["shape"] = value; });
  };
  EXPECT_EQ(shape({1 << 20, 1 << 20, 1 << 20}), wrong("shape"));
  EXPECT_EQ(shape({0, 15}), wrong("shape"));
  EXPECT_EQ(shape({1, 1, 1, 1, 1, 1, 1, 15, 1}), wrong("shape"));
  EXPECT_EQ(refusal([](Json& root) { root["tensors"][0]["name"] = "a\x1b[2J"; }), wrong("name"));
  EXPECT_EQ(refusal([](Json& root) { root["tensors"][0]["name"] = std::string(257, 'a'); }),
            wrong("name"));
  EXPECT_EQ(refusal([](Json& root) { root["configuration"]["model"] = "\x1b[2J"; }),
            wrong("configuration"));
}

TEST(Difference, NamesTheFirstTensorThatIsOfAnotherShape) {
  const auto saved = sample_manifest();
  auto own = saved;
  EXPECT_EQ(difference(saved, own), std::nullopt);
  own.tensors[1].shape = {2, 2};
  EXPECT_EQ(difference(saved, own),
            "it has 'second' of shape [4] where the model of this run has 'second' of shape "
            "[2, 2].");
  own.tensors.pop_back();
  EXPECT_EQ(difference(saved, own), "it has 2 tensors, and the model of this run has 1.");
  own.configuration.emplace_back("seed", "1");
  EXPECT_EQ(difference(saved, own), "its seed is nothing, and that of this run is 1.");
}

}  // namespace
}  // namespace linerate::trainers
