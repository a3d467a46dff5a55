#include "yaml/option_words.h"

#include "base/text.h"
#include "yaml/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace linerate::yaml {
namespace {

constexpr std::size_t kMostValueBytes = 65536;  // aliases may make a small file large

bool is_option(std::string_view text) {
  return text.size() > 1 && text[0] == '-' &&
         std::isdigit(static_cast<unsigned char>(text[1])) == 0;
}

// A value of the file as the word behind an option.
Result<std::string> word_of(const YAML::Node& value) {
  if (value.IsScalar()) return value.Scalar();
  const auto refuse = [&](std::string_view why) {
    return Failure{fmt::format(", line {}: {}", value.Mark().line + 1, why)};
  };
  std::string word;
  for (const auto& item : value) {
    if (!value.IsSequence() || !item.IsScalar())
      return refuse("give one value, or a list of them.");
    if (is_option(item.Scalar()))
      return refuse("options stand in one text, such as '-n 20 -w 5', not in a list.");
    word += (word.empty() ? "" : ",") + item.Scalar();
    if (word.size() > kMostValueBytes) return refuse("a list is longer than linerate reads.");
  }
  return word;
}

}  // namespace

Result<OptionWords> read_option_words(std::string_view text, std::size_t most_bytes,
                                      std::span<const std::string_view> maps) {
  const auto document = load_document(text, most_bytes);
  if (!document) return document.failure();
  if (!document->IsMap()) return Failure{": a study is a map of options, such as 'repeat: 5'."};
  OptionWords read;
  std::set<std::string> keys;
  for (const auto& entry : *document) {
    const auto line = entry.first.Mark().line + 1;
    if (!entry.first.IsScalar()) return Failure{fmt::format(", line {}: a key is one word.", line)};
    const auto& key = entry.first.Scalar();
    if (!keys.insert(key).second)
      return Failure{fmt::format(", line {}: {} stands there twice.", line, plain_text(key))};
    if (std::ranges::find(maps, key) != maps.end()) {
      if (!entry.second.IsMap())
        return Failure{fmt::format(", line {}: {} is a map of names to values.", line, key)};
      read.maps[key] = entry.second;
      continue;
    }
    const auto word = word_of(entry.second);
    if (!word) return word.failure();
    if (*word == "false") continue;
    read.words.push_back("--" + key);
    if (*word != "true") read.words.push_back(*word);
  }
  return read;
}

std::string replaced(std::string words, std::string_view place, std::string_view by) {
  for (auto at = words.find(place); at != std::string::npos; at = words.find(place, at + by.size()))
    words.replace(at, place.size(), by);
  return words;
}

}  // namespace linerate::yaml
