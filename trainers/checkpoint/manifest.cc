// JSON: numbers and texts in one object, tensors, files and chunks in lists of objects.
#include "trainers/checkpoint/manifest.h"

#include "record/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>

namespace linerate::trainers {
namespace {

using json::Json;

constexpr std::string_view kFormat = "linerate checkpoint";
constexpr int kVersion = 2, kFirstVersion = 1;  // which has no boxes
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

// Of a matrix.
void take_box(const SavedTensor& of, Members& members, TensorSlice& what) {
  std::vector<std::size_t> offsets, sizes;
  members.list("offsets", [&](const Json& offset) {
    if (!json::convert(offset, offsets.emplace_back())) members.complain("offsets");
  });
  members.list("sizes", [&](const Json& size) {
    if (!json::convert(size, sizes.emplace_back())) members.complain("sizes");
  });
  if (offsets.size() != 2 || sizes.size() != 2 || of.shape.size() != 2)
    return members.complain("offsets");
  for (std::size_t dim = 0; dim < 2; ++dim)
    if (sizes[dim] == 0 || offsets[dim] >= of.shape[dim] ||
        sizes[dim] > of.shape[dim] - offsets[dim])
      return members.complain("offsets");
  what.index = offsets[0] * of.shape[1] + offsets[1];
  what.count = sizes[0] * sizes[1];
  what.run = sizes[1];
}

Chunk chunk_of(const Json& item, const Manifest& within, bool has_boxes, std::string& problem) {
  constexpr DataType kTypes[] = {DataType::float32, DataType::float64};
  Chunk chunk;
  auto& what = chunk.what;
  Members members(item, problem);
  members.take("tensor", what.tensor);
  members.choice("kind", kStateKinds, what.kind);
  members.choice("type", kTypes, chunk.type);
  members.take("file", chunk.file);
  members.take("offset", chunk.offset);
  members.take("crc32", chunk.crc);
  if (!problem.empty()) return chunk;
  if (what.tensor >= within.tensors.size() || chunk.file >= within.file_bytes.size()) {
    members.complain("chunks");
    return chunk;
  }
  const bool is_box = item.contains("offsets") || item.contains("sizes");
  if (is_box && !has_boxes) members.complain("offsets");
  if (is_box) {
    take_box(within.tensors[what.tensor], members, what);
  } else {
    members.take("index", what.index);
    members.take("count", what.count);
  }
  if (!problem.empty()) return chunk;
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

// How many rows of each column of a matrix have been covered by boxes, which come in the order of
// their first elements.
class CoveredRows {
 public:
  explicit CoveredRows(std::size_t columns) : columns_(columns) {}

  // Where the box begins in rows that are covered, or behind rows that are not: false.
  bool add(const TensorBox& box) {
    const auto first = border(box.column), last = border(box.column + box.columns);
    for (auto at = first; at != last; ++at)
      if (at->second != box.row) return false;
    rows_.erase(std::next(first), last);
    first->second += box.rows;
    for (const auto column : {box.column + box.columns, box.column}) merge(column);
    return true;
  }
  // The first element that is not covered.
  std::size_t next() const {
    const auto least =
        std::ranges::min_element(rows_, {}, [](const auto& at) { return at.second; });
    return least->second * columns_ + least->first;
  }

 private:
  using Rows = std::map<std::size_t, std::size_t>;  // from this column on, to the next

  Rows::iterator border(std::size_t column) {
    if (column == columns_) return rows_.end();
    const auto next = rows_.upper_bound(column);
    return rows_.try_emplace(column, std::prev(next)->second).first;
  }
  void merge(std::size_t column) {
    const auto at = rows_.find(column);
    if (at != rows_.end() && at != rows_.begin() && std::prev(at)->second == at->second)
      rows_.erase(at);
  }

  const std::size_t columns_;
  Rows rows_{{0, 0}};
};

// REQUIRES: sorted chunks of tensors that exist. What is missing, or there twice.
std::optional<std::string> uncovered(const Manifest& manifest) {
  auto chunk = manifest.chunks.begin();
  for (std::size_t i = 0; i < manifest.tensors.size(); ++i)
    for (const auto kind : kStateKinds) {
      const auto& tensor = manifest.tensors[i];
      const auto columns = tensor.columns();
      std::vector<TensorBox> boxes;
      for (; chunk != manifest.chunks.end() && chunk->what.tensor == i && chunk->what.kind == kind;
           ++chunk)
        std::ranges::copy(boxes_of(chunk->what, columns), std::back_inserter(boxes));
      std::ranges::sort(boxes, {},
                        [](const TensorBox& box) { return std::pair(box.row, box.column); });
      CoveredRows covered(columns);
      const bool fits =
          std::ranges::all_of(boxes, [&](const TensorBox& box) { return covered.add(box); });
      if (!fits || covered.next() != tensor.count())
        return fmt::format("it lacks elements of {} of '{}' from {} on, or has them twice.",
                           name_of(kind), tensor.name, covered.next());
    }
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

std::vector<TensorBox> boxes_of(const TensorSlice& slice, std::size_t columns) {
  auto row = slice.index / columns;
  const auto column = slice.index % columns;
  if (slice.run > 0) return {{row, column, slice.count / slice.run, slice.run}};
  std::vector<TensorBox> boxes;
  auto left = slice.count;
  if (column > 0) {
    const auto count = std::min(left, columns - column);
    boxes.push_back({row++, column, 1, count});
    left -= count;
  }
  if (left >= columns) boxes.push_back({row, 0, left / columns, columns});
  if (left % columns > 0) boxes.push_back({row + left / columns, 0, 1, left % columns});
  return boxes;
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
  for (const auto& chunk : manifest.chunks) {
    Json item{{"tensor", chunk.what.tensor},
              {"kind", name_of(chunk.what.kind)},
              {"type", name_of(chunk.type)}};
    if (chunk.what.run > 0) {
      const auto columns = manifest.tensors[chunk.what.tensor].columns();
      item["offsets"] = {chunk.what.index / columns, chunk.what.index % columns};
      item["sizes"] = {chunk.what.count / chunk.what.run, chunk.what.run};
    } else {
      item["index"] = chunk.what.index;
      item["count"] = chunk.what.count;
    }
    item["file"] = chunk.file;
    item["offset"] = chunk.offset;
    item["crc32"] = chunk.crc;
    root["chunks"].push_back(std::move(item));
  }
  return root.dump() + '\n';
}

Result<Manifest> parse_manifest(std::string_view text) {
  const auto root = json::parse_bounded(text).value_or(Json());
  if (!root.is_object() || root.value("format", Json()) != kFormat)
    return Failure{"it is no manifest of a checkpoint."};
  const auto version = root.value("version", Json());
  if (version != kVersion && version != kFirstVersion)
    return Failure{
        fmt::format("it is of another version than {} and {}.", kFirstVersion, kVersion)};
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
    manifest.chunks.push_back(chunk_of(item, manifest, version != kFirstVersion, problem));
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
