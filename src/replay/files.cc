#include "replay/files.h"

#include "base/file.h"
#include "base/handle.h"
#include "base/units.h"

#include <fmt/format.h>

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

namespace linerate::replay {
namespace {

constexpr std::string_view kGzip = "\x1f\x8b";
constexpr int kGzipWindow = 15 + 16;  // zlib.h: the largest window, and gzip's header

using Inflater = Handle<z_stream, inflateEnd>;

Result<std::string> read_text(const std::string& path) {
  auto text = read_file_or_pipe(path, kMostTraceBytes);
  if (!text || !text->starts_with(kGzip)) return text;
  return unpacked(*text, kMostTraceBytes);
}

// The number of each group of a file in the trace, where those of one name and the same ranks are
// one.
class Groups {
 public:
  explicit Groups(CommTrace& trace) : trace_(trace) {}

  std::size_t place(const std::pair<std::string, Group>& named) {
    const auto [at, is_new] =
        places_.emplace(std::pair(named.first, named.second.ranks), trace_.groups.size());
    if (is_new) trace_.groups.push_back(named.second);
    return at->second;
  }

 private:
  CommTrace& trace_;
  std::map<std::pair<std::string, std::vector<int>>, std::size_t> places_;
};

}  // namespace

Result<std::string> unpacked(std::string_view gzip, std::size_t most_bytes) {
  z_stream state{};
  if (inflateInit2(&state, kGzipWindow) != Z_OK) return Failure{"It cannot be unpacked."};
  const Inflater inflater(&state);
  std::string text;
  std::vector<char> part(std::size_t{1} << 20);
  int code = Z_OK;
  for (std::size_t read = 0;;) {
    if (state.avail_in == 0) {
      const auto next = gzip.substr(read, std::size_t{1} << 30);
      if (next.empty()) break;
      read += next.size();
      // zlib reads through it, and declares it as if it wrote.
      state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(next.data()));  // NOLINT
      state.avail_in = static_cast<uInt>(next.size());
    }
    state.next_out = reinterpret_cast<Bytef*>(part.data());
    state.avail_out = static_cast<uInt>(part.size());
    code = inflate(&state, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END)
      return Failure{"It cannot be unpacked: it is damaged, or no file of gzip."};
    text.append(part.data(), part.size() - state.avail_out);
    if (text.size() > most_bytes)
      return Failure{fmt::format("It is larger than the {} that linerate reads, once unpacked.",
                                 bytes_text(most_bytes))};
    if (code == Z_STREAM_END && inflateReset(&state) != Z_OK) break;
  }
  if (code != Z_STREAM_END) return Failure{"It was cut: what gzip packed does not end."};
  return text;
}

Result<CommTrace> joined(std::vector<std::pair<std::string, PytorchTrace>> files) {
  int nranks = static_cast<int>(files.size());
  for (const auto& [path, file] : files) nranks = std::max(nranks, file.nranks);
  std::vector<std::optional<std::size_t>> file_of(static_cast<std::size_t>(nranks));
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto rank = static_cast<std::size_t>(files[i].second.rank.value_or(static_cast<int>(i)));
    if (rank >= file_of.size())
      return Failure{fmt::format("{}: It is of rank {} of {}.", files[i].first, rank, nranks)};
    if (file_of[rank])
      return Failure{fmt::format("{} and {} are both of rank {}: give one file of each rank.",
                                 files[*file_of[rank]].first, files[i].first, rank)};
    file_of[rank] = i;
  }
  CommTrace trace{.origin = "PyTorch"};
  Groups groups(trace);
  for (std::size_t rank = 0; rank < file_of.size(); ++rank) {
    if (!file_of[rank])
      return Failure{
          fmt::format("Rank {} of {} is missing: give the files of all ranks.", rank, nranks)};
    auto& file = files[*file_of[rank]].second;
    for (auto& call : file.calls.calls) call.group = groups.place(file.groups[call.group]);
    for (const auto& [what, times] : file.left_out) trace.left_out[what] += times;
    for (const auto& [what, times] : file.assumed) trace.assumed[what] += times;
    trace.ranks.push_back(std::move(file.calls));
  }
  for (const auto& group : trace.groups)
    if (std::ranges::any_of(group.ranks, [&](int r) { return r < 0 || r >= nranks; }))
      return Failure{
          fmt::format("A group has a rank beyond the {} whose files were given: give "
                      "the files of all ranks.",
                      nranks)};
  return trace;
}

Result<CommTrace> read_traces(const std::vector<std::string>& paths) {
  std::vector<std::pair<std::string, PytorchTrace>> files;
  for (const auto& path : paths) {
    const auto refuse = [&](const std::string& why) {
      return Failure{fmt::format("{}: {}", path, why)};
    };
    const auto text = read_text(path);
    if (!text) return refuse(text.sentence());
    if (is_comm_trace(*text)) {
      if (paths.size() > 1)
        return refuse("It holds all ranks of a job of linerate's trainers: give it alone.");
      auto trace = read_comm_trace(*text);
      if (!trace) return refuse(trace.sentence());
      return trace;
    }
    auto file = read_pytorch(*text);
    if (!file) return refuse(file.sentence());
    files.emplace_back(path, *std::move(file));
  }
  return joined(std::move(files));
}

}  // namespace linerate::replay
