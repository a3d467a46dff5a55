#include "trainers/data/source.h"

#include "base/file.h"
#include "base/installation.h"
#include "base/text.h"
#include "trainers/data/draws.h"
#include "trainers/data/markov.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <filesystem>
#include <vector>

namespace linerate::trainers {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> kNames{"markov", "copy", "random", "text"};
constexpr std::size_t kMaxFileBytes = std::size_t{1} << 30;
constexpr std::size_t kByteValues = 256;

void fill_randomly(const Draws& draws, std::size_t vocabulary, std::span<std::int32_t> out) {
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<std::int32_t>(draws.below(vocabulary, i));
}

class RandomSource final : public Source {
 public:
  explicit RandomSource(const SourceOptions& options)
      : Source("random", options.vocabulary, options.length), seed_(options.seed) {}

  std::optional<double> entropy() const override {
    return std::log(static_cast<double>(vocabulary()));
  }
  void tokens(std::uint64_t sequence, std::span<std::int32_t> out) const override {
    fill_randomly({seed_, sequence}, vocabulary(), out);
  }

 private:
  const std::uint64_t seed_;
};

class CopySource final : public Source {
 public:
  explicit CopySource(const SourceOptions& options)
      : Source("copy", options.vocabulary, options.length), seed_(options.seed) {}

  std::optional<double> entropy() const override { return 0; }
  std::size_t first_target() const override { return half() - 1; }
  void tokens(std::uint64_t sequence, std::span<std::int32_t> out) const override {
    fill_randomly({seed_, sequence}, vocabulary(), out.first(half()));
    for (std::size_t i = half(); i < out.size(); ++i) out[i] = out[i - half()];
  }

 private:
  std::size_t half() const { return (length() + 1) / 2; }

  const std::uint64_t seed_;
};

// Sequence i reads bytes [i * length, (i + 1) * length): each byte once, but for a rest at the end.
class ByteSource final : public Source {
 public:
  // REQUIRES: the text is longer than a sequence.
  ByteSource(const SourceOptions& options, std::string text)
      : Source(options.data, options.vocabulary, options.length), text_(std::move(text)) {}

  std::optional<std::uint64_t> sequences() const override { return (text_.size() - 1) / length(); }
  void tokens(std::uint64_t sequence, std::span<std::int32_t> out) const override {
    const auto bytes = std::string_view(text_).substr(sequence * length(), out.size());
    std::ranges::transform(bytes, out.begin(),
                           [](char byte) { return static_cast<unsigned char>(byte); });
  }

 private:
  const std::string text_;
};

Result<std::unique_ptr<Source>> bytes_of_text(const SourceOptions& options, std::string text) {
  if (options.vocabulary < kByteValues)
    return Failure{
        fmt::format("'{}' is read as bytes, which need a vocabulary of at least {}: this "
                    "model has {}.",
                    options.data, kByteValues, options.vocabulary)};
  if (text.size() <= options.length)
    return Failure{
        fmt::format("'{}' has {} bytes: a sequence of {} needs one more than its length.",
                    options.data, text.size(), options.length)};
  return std::unique_ptr<Source>(std::make_unique<ByteSource>(options, std::move(text)));
}

// All pages of the documentation that is installed with this program, by name.
Result<std::string> documentation() {
  const auto root = installation_root();
  const auto folder = root.value_or(fs::path()) / "share/linerate/docs";
  std::error_code missing;
  std::vector<fs::path> pages;
  for (const auto& entry : fs::directory_iterator(folder, missing))
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  if (!root || pages.empty())
    return Failure{
        fmt::format("There is no text beside this program ({} holds none): name a file, "
                    "or choose one of markov, copy, random.",
                    folder.string())};
  std::ranges::sort(pages);
  std::string text;
  for (const auto& page : pages) {
    auto read = read_regular_file(page.string(), kMaxFileBytes);
    if (!read) return Failure{fmt::format("'{}': {}", page.string(), read.sentence())};
    text += *read;
  }
  return text;
}

Result<std::string> text_of_file(const std::string& path) {
  std::error_code missing;
  if (path.find('/') == std::string::npos && !fs::exists(path, missing)) {
    std::vector<std::string_view> choices(kNames.begin(), kNames.end());
    choices.emplace_back("the path of a file");
    return Failure{unknown_choice("data", path, choices)};
  }
  auto text = read_regular_file(path, kMaxFileBytes);
  if (!text) return Failure{fmt::format("Data '{}': {}", path, text.sentence())};
  return text;
}

}  // namespace

void Source::read(std::uint64_t sequence, std::span<std::int32_t> inputs,
                  std::span<std::int32_t> targets) const {
  assert(inputs.size() == length() && targets.size() == length());
  std::vector<std::int32_t> all(length() + 1);
  tokens(sequence, all);
  std::copy(all.begin(), all.end() - 1, inputs.begin());
  std::copy(all.begin() + 1, all.end(), targets.begin());
  std::fill_n(targets.begin(), first_target(), -1);
}

std::span<const std::string_view> source_names() { return kNames; }

Result<std::unique_ptr<Source>> make_source(const SourceOptions& options) {
  if (options.vocabulary < 2 || options.length < 1)
    return Failure{
        fmt::format("Data needs a vocabulary of at least 2 and a length of at least 1: "
                    "this model has {} and {}.",
                    options.vocabulary, options.length)};
  std::unique_ptr<Source> source;
  if (options.data == "markov") source = std::make_unique<MarkovSource>(options);
  if (options.data == "copy") source = std::make_unique<CopySource>(options);
  if (options.data == "random") source = std::make_unique<RandomSource>(options);
  if (source) return source;
  auto text = options.data == "text" ? documentation() : text_of_file(options.data);
  if (!text) return text.failure();
  return bytes_of_text(options, std::move(text).value());
}

}  // namespace linerate::trainers
