// JSON: numbers and texts in one object, tensors, files and chunks in lists of objects.
#include "trainers/checkpoint/manifest.h"

#include "record/json_io.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>

namespace linerate::trainers {
namespace {

using json::Json;

constexpr std::string_view kFormat = "linerate checkpoint";
constexpr int kVersion = 1;
constexpr int kMaxDepth = 4;  // the object, a list, an object in it, its shape
constexpr std::size_t kMaxText = 256;
constexpr std::size_t kMaxFacts = 64;
constexpr std::size_t kMaxDimensions = 8;
constexpr std::size_t kMaxElements = std::size_t{1} << 48;  // of a tensor: offsets stay in 64 bits

// What can be read of an object: notes the first member that is not as it should be.
class Members {
 public:
  // Both outlive it.
  Members(const Json& object, std::string& problem) : object_(object), problem_(problem) {}

  template <typename T>
  void take(const char* key, T& into) {
    const auto found = object_.find(key);
    if (found == object_.end() || !json::convert(*found, into)) complain(key);
  }
  void text(const char* key, std::string& into) {
    take(key, into);
    if (into.empty() || into.size() > kMaxText || into != plain_text(into)) complain(key);
  }
  template <typename Choices>
  void choice(const char* key, const Choices& choices, auto& into) {
    std::string text;
    take(key, text);
    const auto found = std::ranges::find(choices, text, [](auto value) { return name_of(value); });
    if (found == std::end(choices)) return complain(key);
    into = *found;
  }
  // Of each item, until one is wrong.
  void list(const char* key, const std::function<void(const Json& item)>& read) {
    const auto found = object_.find(key);
    if (found == object_.end() || !found->is_array()) return complain(key);
    for (const auto& item : *found)
      if (problem_.empty()) read(item);
  }
  void complain(std::string_view key) {
    if (problem_.empty())
      problem_ = fmt::format("its '{}' is missing, or no value that it can have.", key);
  }

 private:
  const Json& object_;
  std::string& problem_;
};

SavedTensor tensor_of(const Json& item, std::string& problem) {
  SavedTensor tensor;
  Members members(item, problem);
  members.text("name", tensor.name);
  std::size_t count = 1;
  members.list("shape", [&](const Json& extent) {
    auto& size = tensor.shape.emplace_back();
    if (!json::convert(extent, size) || size == 0 || size > kMaxElements / count ||
        tensor.shape.size() > kMaxDimensions)
      return members.complain("shape");
    count *= size;
  });
  return tensor;
}

Chunk chunk_of(const Json& item, const Manifest& within, std::string& problem) {
  constexpr DataType kTypes[] = {DataType::float32, DataType::float64};
  Chunk chunk;
  auto& what = chunk.what;
  Members members(item, problem);
  members.take("tensor", what.tensor);
  members.choice("kind", kStateKinds, what.kind);
  members.choice("type", kTypes, chunk.type);
  members.take("index", what.index);
  members.take("count", what.count);
  members.take("file", chunk.file);
  members.take("offset", chunk.offset);
  members.take("crc32", chunk.crc);
  if (!problem.empty()) return chunk;
  if (what.tensor >= within.tensors.size() || chunk.file >= within.file_bytes.size()) {
    members.complain("chunks");
    return chunk;
  }
  const auto elements = within.tensors[what.tensor].count();
  const auto bytes = within.file_bytes[chunk.file];
  if (what.count == 0 || what.count > kMaxChunkElements || what.index > elements ||
      what.count > elements - what.index || chunk.bytes() > bytes ||
      chunk.offset > bytes - chunk.bytes())
    members.complain("chunks");
  return chunk;
}

void take_configuration(const Json& root, Members& members, Facts& facts) {
  const auto found = root.find("configuration");
  if (found == root.end() || !found->is_object() || found->size() > kMaxFacts)
    return members.complain("configuration");
  for (const auto& [name, value] : found->items()) {
    auto& fact = facts.emplace_back(name, std::string());
    if (!json::convert(value, fact.second) || name.size() > kMaxText ||
        fact.second.size() > kMaxText || fact.first != plain_text(fact.first) ||
        fact.second != plain_text(fact.second))
      return members.complain("configuration");
  }
}

void take_numbers(const Json& root, Members& members, Manifest& manifest) {
  auto& loss_scale = manifest.loss_scale;
  members.take("step", manifest.step);
  members.take("updates", manifest.updates);
  members.take("loss_scale", loss_scale.scale);
  members.take("clean_steps", loss_scale.clean_steps);
  members.take("overflows", loss_scale.overflows);
  if (manifest.step < 1) members.complain("step");
  if (manifest.updates < 0 || manifest.updates > manifest.step) members.complain("updates");
  if (!(loss_scale.scale > 0) || std::isinf(loss_scale.scale)) members.complain("loss_scale");
  take_configuration(root, members, manifest.configuration);
}

void sort_chunks(std::vector<Chunk>& chunks) {
  std::ranges::sort(chunks, {}, [](const Chunk& chunk) {
    return std::tuple(chunk.what.tensor, chunk.what.kind, chunk.what.index);
  });
}

// REQUIRES: sorted chunks of tensors that exist. The first slice that is missing, or there twice.
std::optional<std::string> uncovered(const Manifest& manifest) {
  auto chunk = manifest.chunks.begin();
  for (std::size_t i = 0; i < manifest.tensors.size(); ++i)
    for (const auto kind : kStateKinds) {
      const auto& tensor = manifest.tensors[i];
      std::size_t next = 0;
      for (; chunk != manifest.chunks.end() && chunk->what.tensor == i &&
             chunk->what.kind == kind && chunk->what.index == next;
           ++chunk)
        next = chunk->what.end();
      if (next != tensor.count())
        return fmt::format("it lacks elements of {} of '{}' from {} on, or has them twice.",
                           name_of(kind), tensor.name, next);
    }
  if (chunk != manifest.chunks.end()) return "it has elements of a tensor twice.";
  return {};
}

std::string shape_text(const SavedTensor& tensor) {
  return fmt::format("[{}]", fmt::join(tensor.shape, ", "));
}

}  // namespace

std::string_view name_of(StateKind kind) {
  switch (kind) {
    case StateKind::master:
      return "master";
    case StateKind::m:
      return "m";
    case StateKind::v:
      return "v";
  }
  return {};
}

std::size_t SavedTensor::count() const {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies());
}

std::string manifest_text(Manifest& manifest) {
  sort_chunks(manifest.chunks);
  Json root{{"format", kFormat},
            {"version", kVersion},
            {"step", manifest.step},
            {"updates", manifest.updates},
            {"loss_scale", manifest.loss_scale.scale},
            {"clean_steps", manifest.loss_scale.clean_steps},
            {"overflows", manifest.loss_scale.overflows},
            {"configuration", Json::object()},
            {"tensors", Json::array()},
            {"files", manifest.file_bytes},
            {"chunks", Json::array()}};
  for (const auto& [name, value] : manifest.configuration) root["configuration"][name] = value;
  for (const auto& tensor : manifest.tensors)
    root["tensors"].push_back({{"name", tensor.name}, {"shape", tensor.shape}});
  for (const auto& chunk : manifest.chunks)
    root["chunks"].push_back({{"tensor", chunk.what.tensor},
                              {"kind", name_of(chunk.what.kind)},
                              {"type", name_of(chunk.type)},
                              {"index", chunk.what.index},
                              {"count", chunk.what.count},
                              {"file", chunk.file},
                              {"offset", chunk.offset},
                              {"crc32", chunk.crc}});
  return root.dump() + '\n';
}

Result<Manifest> parse_manifest(std::string_view text) {
  bool deep = false;
  const auto shallow = [&](int depth, auto, const auto&) {
    deep |= depth > kMaxDepth;
    return !deep;
  };
  const auto root = Json::parse(text, shallow, false);
  if (deep || !root.is_object() || root.value("format", Json()) != kFormat)
    return Failure{"it is no manifest of a checkpoint."};
  if (root.value("version", Json()) != kVersion)
    return Failure{fmt::format("it is of another version than {}.", kVersion)};
  Manifest manifest;
  std::string problem;
  Members members(root, problem);
  take_numbers(root, members, manifest);
  members.list("tensors",
               [&](const Json& item) { manifest.tensors.push_back(tensor_of(item, problem)); });
  members.list("files", [&](const Json& bytes) {
    if (!json::convert(bytes, manifest.file_bytes.emplace_back())) members.complain("files");
  });
  members.list("chunks", [&](const Json& item) {
    manifest.chunks.push_back(chunk_of(item, manifest, problem));
  });
  if (!problem.empty()) return Failure{problem};
  sort_chunks(manifest.chunks);
  if (auto sentence = uncovered(manifest)) return Failure{*std::move(sentence)};
  return manifest;
}

std::optional<std::string> difference(const Manifest& saved, const Manifest& own) {
  for (const auto& [name, value] : own.configuration) {
    const auto found =
        std::ranges::find(saved.configuration, name, [](const auto& fact) { return fact.first; });
    const auto before = found == saved.configuration.end() ? "nothing" : found->second;
    if (before != value)
      return fmt::format("its {} is {}, and that of this run is {}.", name, before, value);
  }
  if (saved.tensors.size() != own.tensors.size())
    return fmt::format("it has {} tensors, and the model of this run has {}.", saved.tensors.size(),
                       own.tensors.size());
  const auto [was, is] = std::ranges::mismatch(saved.tensors, own.tensors);
  if (was == saved.tensors.end()) return {};
  return fmt::format("it has '{}' of shape {} where the model of this run has '{}' of shape {}.",
                     was->name, shape_text(*was), is->name, shape_text(*is));
}

}  // namespace linerate::trainers
