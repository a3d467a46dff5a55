// A block is searched for each word once; memchr finds the lines around the hits.
#include "diagnose/log/lines.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <vector>

namespace linerate::logs {
namespace {

// "CCL" stands in NCCL's, RCCL's and PyTorch's lines; of what other programs write, each
// alternative of a row of Lines::any or Lines::gpu has one of the others. Each word has a character
// that is rare in other text, and is looked for by it.
struct Word {
  std::string_view text;
  std::size_t rare;  // its place
};
constexpr auto kWords =
    std::to_array<Word>({{"CCL", 0},          {"CUDA ", 0},       {"HIP ", 0},
                         {"NET/", 0},         {"NVRM", 0},        {"SIG", 0},
                         {"Segmentation", 0}, {"Killed", 0},      {"Bus error", 0},
                         {"Aborted", 0},      {"ncclI", 4},       {"ncclR", 4},
                         {"ncclS", 4},        {"ncclU", 4},       {"CANCELLED", 0},
                         {"exitcode", 1},     {"Exited with", 0}, {"Detected ", 0},
                         {"UCX ", 2},         {"<warn>", 0},      {"TCPStore", 0},
                         {"The client", 0},   {"The server", 0},  {"Out Of Mem", 0},
                         {"xit code", 0},     {"exits with", 1},  {"Expected to have", 0},
                         {"Node fail", 0},    {"MPI_I", 0},       {"OFI MTL", 0},
                         {"ORTE ", 0},        {"Last error", 0}});
constexpr std::size_t kBlock = std::size_t{1} << 18;

// From `from` on; `end`: none.
const char* find_word(const char* from, const char* end, const Word& word) {
  const auto size = word.text.size();
  for (const char* at = from + word.rare; at < end; ++at) {
    at = static_cast<const char*>(
        std::memchr(at, word.text[word.rare], static_cast<std::size_t>(end - at)));
    if (at == nullptr) return end;
    const char* begin = at - word.rare;
    if (static_cast<std::size_t>(end - begin) >= size &&
        std::memcmp(begin, word.text.data(), size) == 0)
      return begin;
  }
  return end;
}

// Where the next word stands, for positions that only grow.
class WordSearch {
 public:
  WordSearch(const char* begin, const char* end) : end_(end) { next_.fill(begin), find(begin); }

  const char* from(const char* at) {
    if (nearest_ < at) find(at);
    return nearest_;
  }

 private:
  void find(const char* at) {
    nearest_ = end_;
    for (std::size_t i = 0; i < kWords.size(); ++i) {
      if (!known_ || next_[i] < at) next_[i] = find_word(at, end_, kWords[i]);
      nearest_ = std::min(nearest_, next_[i]);
    }
    known_ = true;
  }

  const char* end_;
  const char* nearest_ = nullptr;
  std::array<const char*, kWords.size()> next_{};
  bool known_ = false;
};

class LineReader {
 public:
  explicit LineReader(const TakeLine& take) : take_(take) {}

  // Whole lines; the last may lack its end.
  void lines(const char* begin, const char* end) {
    WordSearch words(begin, end);
    for (const char* at = begin; at < end;) {
      const auto* found = static_cast<const char*>(std::memchr(at, '\n', size_of(at, end)));
      const char* stop = found == nullptr ? end : found;
      ++count_.lines;
      if (wanted_ || words.from(at) < stop)
        wanted_ = take_({at, std::min(size_of(at, stop), kLongestLine)}, count_.lines);
      at = stop + 1;
    }
  }

  LineCount& count() { return count_; }

 private:
  static std::size_t size_of(const char* begin, const char* end) {
    return static_cast<std::size_t>(end - begin);
  }

  const TakeLine& take_;
  LineCount count_;
  bool wanted_ = false;
};

}  // namespace

LineCount read_lines(const ReadBytes& read, const TakeLine& take) {
  std::vector<char> block(kBlock);
  LineReader reader(take);
  std::size_t kept = 0;  // of a line whose end has not come
  bool inside = false;   // of a line longer than a block, whose beginning is done
  while (const auto got = read(std::span(block).subspan(kept))) {
    reader.count().bytes += got;
    const auto filled = std::string_view(block.data(), kept + got);
    const auto last = filled.rfind('\n');
    if (last == std::string_view::npos && filled.size() < kBlock) {
      kept = filled.size();
      continue;
    }
    const auto first = inside ? filled.find('\n') + 1 : 0;  // npos + 1: none, and nothing is taken
    const auto done = last == std::string_view::npos ? filled.size() : last + 1;
    if (!inside || first > 0) reader.lines(block.data() + first, block.data() + done);
    inside = last == std::string_view::npos;
    kept = inside ? 0 : filled.size() - done;
    std::copy(filled.end() - static_cast<std::ptrdiff_t>(kept), filled.end(), block.data());
  }
  if (!inside) reader.lines(block.data(), block.data() + kept);
  return reader.count();
}

}  // namespace linerate::logs
