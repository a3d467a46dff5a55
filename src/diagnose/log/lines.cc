// A block is searched for words once; memchr finds the lines around the hits.
#include "diagnose/log/lines.h"

#include "diagnose/log/progress.h"
#include "diagnose/log/word_set.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

namespace linerate::logs {
namespace {

// "CCL" stands in NCCL's, RCCL's and PyTorch's lines; of the others are those taken that have a
// word of failure: each alternative of a row of Lines::any or of an error's level holds one.
constexpr std::string_view kWordList =
    "CCL|NET/|WARN|rror|RROR|xception|Interrupt|what()|FATAL|Fatal|fatal|CRITICAL|ailed|FAILED|"
    "ailure|Killed|Killing|killed|SIG|signal|Signal|egmentation|bort|BORT|xit code|xit Code|"
    "xit status|xitcode|exits with|CANCELLED|<warn>|UCX |NVRM|oom-kill|oom_kill|OOM|Out Of Mem|"
    "ut of mem|.cpp:|.cc:|] ***|ssh|publickey|TCP|MPI|ORTE|HSA_|ess fault|Machine|lockup|"
    "ink is Down|ink DOWN|able unpl|tely down|locked for|fallen off|PullBack|ErrImage|low on|"
    "nable to|nvalid gen|subset of|slots|mismatch|nvidia-con|ce driver|double free|free()|"
    "malloc()|corrupted|smashing|Illegal in|nt socket|er socket|addresses|Exceeded|Expected to|"
    "hared mem|and fallback|can fulfill|be scheduled ri|ndefined ref|ndefined sym|h: line |"
    "C10d store|GLIBC|nccl|lookup err|loading sh|command not|terminate c|panic|TERM_|walltime|"
    "marked dead|No devices|device handle|requires reset|GPU is lost|dump_cqe|AER: |on-zero|"
    "best-guess|No space|isk quota|egfault|tection fault|tomics not|ejects atom|"
    "are currently unk|inated with|one child|has exited|Test time|noticed that|CUDA initial|"
    "Cuda Run|Primary job|HYD_|[mpiexec|Barrier|NULL val|no active IB|TERMINATION|to be opened|"
    "be selected|requested comp|enough space|port retry|ot responding|DeepEP|rotection on|"
    "with driver ver|PRTE|PMI|PSM|hfi_|kex_exch|requested mo|already fil|binding mo|execv|"
    "assign_con|th the driver|GTL libr|as crashed|pure virt|truncated; |esses died|[proxy:|HYDU_|"
    "HYDT_|EXIT CODE|with execu|process start|Raylet is|forrtl|annot |an't |ould not|ouldn't|"
    "ot found|o such |t exist|nvalid|nrecognized|enied|refused|nreachable|imed out|issing|"
    "nsufficient|ot enough|oo many|oo few|ncompatible|ssert|ot supported|nsupported|nknown |"
    "ust be|Reason: |--> Ret|xited with code|CrashLoop|back-off|Horovod has|an not |xceeded|rrno|"
    "orrupted|ismatch|aiting for|based barr|ifferent |(unr|ueue over|ueue exh|Q over|rk()|"
    "EFA prov|(synd|FORCE-TERM|killing job|ption requ|l cores|band on |nProcs|GLOBAL|Running on|"
    "Rank  |Terminated|Hangup|Traceback (most|forcefully|recursive calls|Read -1, exp|/dev/shm|"
    "already in use|retry counter|ownership or m|esuming from|esumed from|estoring states|"
    "restart worker|successfully finished|enumerated as|GID: 00:|death sig|"
    "--------------------------------";
constexpr auto kWords = [] {
  std::array<std::string_view, std::ranges::count(kWordList, '|') + 1> words{};
  auto rest = kWordList;
  for (auto& word : words) {
    word = rest.substr(0, rest.find('|'));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return words;
}();
constexpr std::size_t kBlock = std::size_t{1} << 18;

// Where the next word stands, for positions that only grow. Most positions are passed by a look at
// three characters.
class WordSearch {
 public:
  WordSearch(const char* begin, const char* end) : end_(end), nearest_(next(begin)) {}

  const char* from(const char* at) {
    if (nearest_ < at) nearest_ = next(at);
    return nearest_;
  }

 private:
  static constexpr unsigned kBits = 13;
  static constexpr WordTable<kWords.size(), kBits> kTable{kWords};

  // Apart, so that the loop over positions keeps its registers.
  [[gnu::noinline]] static bool stands_at(std::size_t slot, std::string_view text) {
    return kTable.any(slot, text, [](std::size_t) { return true; });
  }

  const char* next(const char* at) const {
    const std::string_view text(at, end_);
    return at + find_slot<kBits>(text, [&](std::size_t slot, std::size_t from) {
             return kTable.has(slot) && stands_at(slot, text.substr(from));
           });
  }

  const char* end_;
  const char* nearest_;
};

class LineReader {
 public:
  explicit LineReader(const TakeLine& take) : take_(take) {}

  // Whole lines; the last may lack its end, and the first its beginning: then it `goes_on`.
  void lines(const char* begin, const char* end, bool goes_on) {
    WordSearch words(begin, end);
    for (const char* at = begin; at < end;) {
      const char* stop = end_of(at, end, '\n');
      count_.lines += goes_on ? 0 : 1;
      goes_on = false;
      if (words.from(at) < stop || wanted_ != Wanted::none) take_parts(words, begin, at, stop);
      at = stop + 1;
    }
  }

  LineCount& count() { return count_; }

 private:
  static std::size_t size_of(const char* begin, const char* end) {
    return static_cast<std::size_t>(end - begin);
  }

  // The character, or the end.
  static const char* end_of(const char* at, const char* end, char what) {
    const auto* found = static_cast<const char*>(std::memchr(at, what, size_of(at, end)));
    return found == nullptr ? end : found;
  }

  // What stands between carriage returns: each state of a progress bar is overwritten by the next.
  void take_parts(WordSearch& words, const char* begin, const char* at, const char* stop) {
    bool first = true;
    do {
      const char* end = end_of(at, stop, '\r');
      const std::string_view part(at, std::min(size_of(at, end), kLongestLine));
      const bool counts = first || !is_blank(part);
      if (counts && (words.from(at) < end || is_wanted(part))) {
        taken_ = count_.lines;
        count_.cut += part.size() < size_of(at, end) ? 1 : 0;
        wanted_ = take_(part, count_.lines, {begin, size_of(begin, at)});
      }
      first = false;
      at = end + 1;
    } while (at < stop);
  }

  // Nothing, or what erases a line of a terminal.
  static bool is_blank(std::string_view part) {
    constexpr std::size_t kErase = 4;  // "\x1b[2K"
    return part.empty() || (part.front() == '\x1b' && part.size() <= kErase);
  }

  bool is_wanted(std::string_view line) const {
    if (wanted_ == Wanted::none || count_.lines > taken_ + kFarthestStep) return false;
    return wanted_ == Wanted::next || step_in(line) || shows_results(line);
  }

  const TakeLine& take_;
  LineCount count_;
  std::size_t taken_ = 0;  // number of the last line that was handed on
  Wanted wanted_ = Wanted::none;
};

}  // namespace

LineCount read_lines(const ReadBytes& read, const TakeLine& take) {
  constexpr auto kNone = std::string_view::npos;
  std::vector<char> block(kBlock);
  LineReader reader(take);
  std::size_t kept = 0;  // of a line whose end has not come
  bool goes_on = false;  // what comes next is of the line before
  bool skips = false;    // and of a part longer than a block, whose beginning is done
  while (const auto got = read(std::span(block).subspan(kept))) {
    reader.count().bytes += got;
    const auto filled = std::string_view(block.data(), kept + got);
    auto last = filled.rfind('\n');
    if (last == kNone && filled.size() == kBlock) last = filled.rfind('\r');
    if (last == kNone && filled.size() < kBlock) {
      kept = filled.size();
      continue;
    }
    const auto first = skips ? filled.find_first_of("\r\n") + 1 : 0;  // npos + 1: no part begins
    if (first > 0) goes_on = filled[first - 1] == '\r';
    const auto done = last == kNone ? filled.size() : last + 1;
    if (!skips || first > 0) reader.lines(block.data() + first, block.data() + done, goes_on);
    goes_on = last == kNone || filled[last] == '\r';
    skips = last == kNone;
    kept = filled.size() - done;
    std::copy(filled.end() - static_cast<std::ptrdiff_t>(kept), filled.end(), block.data());
  }
  const auto rest = std::string_view(block.data(), kept);
  const auto first = skips ? rest.find('\r') + 1 : 0;
  if (!skips || first > 0)
    reader.lines(block.data() + first, block.data() + kept, goes_on || first > 0);
  return reader.count();
}

}  // namespace linerate::logs
