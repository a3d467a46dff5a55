// PyTorch's flight recorder (torch/csrc/distributed/c10d/FlightRecorder*): the calls of a rank.
#include "base/text.h"
#include "diagnose/hang/document.h"
#include "diagnose/hang/hang.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace linerate::hang {
namespace {

constexpr std::size_t kMostCalls = 200'000;     // of a dump; the recorder's usual size is 2000
constexpr std::size_t kMostRanks = 4'000'000;   // of all groups of a dump together
constexpr std::size_t kMostTensors = 64;        // of a call
constexpr std::size_t kMostDimensions = 8;      // of a tensor that are read
constexpr std::int64_t kMostRank = 10'000'000;  // of a job

// "[0, 1, 2]", or a list of numbers.
std::vector<int> ranks_in(const Document& document, const Value* value) {
  std::vector<int> ranks;
  const auto add = [&](std::int64_t rank) {
    if (rank >= 0 && rank < kMostRank) ranks.push_back(static_cast<int>(rank));
  };
  if (value == nullptr) return ranks;
  for (const auto item : value->items) add(document.at(item).integer);
  const auto* end = value->text.data() + value->text.size();
  for (const auto* at = value->text.data(); at != end;) {
    int rank = 0;
    const auto [next, error] = std::from_chars(at, end, rank);
    if (error == std::errc()) add(rank);
    at = error == std::errc() ? next : at + 1;
  }
  std::ranges::sort(ranks);
  ranks.erase(std::ranges::unique(ranks).begin(), ranks.end());
  return ranks;
}

// Types and shapes of a call's tensors, as shown and as ranks are compared by.
struct Tensors {
  std::string shown{}, compared{};
};

Tensors tensors_of(const Document& document, const Value& entry, const std::string& side) {
  Tensors tensors;
  const auto* sizes = document.find(entry, side + "_sizes");
  const auto* types = document.find(entry, side + "_dtypes");
  if (sizes == nullptr || sizes->kind != ValueKind::list) return tensors;
  const auto count = std::min(sizes->items.size(), kMostTensors);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& shape = document.at(sizes->items[i]).items;
    std::vector<std::int64_t> dimensions;
    double elements = 1;
    for (const auto place : std::span(shape).first(std::min(shape.size(), kMostDimensions))) {
      dimensions.push_back(document.at(place).integer);
      elements *= static_cast<double>(dimensions.back());
    }
    const bool typed = types != nullptr && i < types->items.size();
    const auto type = typed ? document.at(types->items[i]).text : std::string();
    tensors.compared += fmt::format("{} {};", elements, type);
    constexpr std::size_t kShown = 4;
    if (i < kShown)
      tensors.shown += fmt::format("{}[{}] {}", i == 0 ? "" : ", ", fmt::join(dimensions, ", "),
                                   shortened(type, 16));
    else if (i == kShown)
      tensors.shown += ", …";
  }
  return tensors;
}

// The first frame outside PyTorch: where the program called.
std::string place_of(const Document& document, const Value& entry) {
  constexpr std::size_t kMostFrames = 64;
  const auto* frames = document.find(entry, "frames");
  if (frames == nullptr) return {};
  for (const auto place :
       std::span(frames->items).first(std::min(frames->items.size(), kMostFrames))) {
    const auto& frame = document.at(place);
    const auto file = document.text(frame, "filename");
    if (file.empty() || file.find("/torch/") != std::string_view::npos) continue;
    return shortened(fmt::format("{}:{} ({})", file, document.integer(frame, "line", 0),
                                 document.text(frame, "name")),
                     160);
  }
  return {};
}

// Operations in which all ranks must bring the same, by what is compared: the others may differ
// from rank to rank.
constexpr std::string_view kAlike[] = {"all_reduce",
                                       "allreduce_coalesced",
                                       "all_reduce_barrier",
                                       "broadcast",
                                       "reduce",
                                       "_all_gather_base",
                                       "_reduce_scatter_base",
                                       "barrier",
                                       "all_gather_into_tensor_coalesced",
                                       "reduce_scatter_tensor_coalesced"};

CallState state_named(std::string_view name) {
  return name == "completed" ? CallState::completed
         : name == "started" ? CallState::started
                             : CallState::scheduled;
}

}  // namespace

std::string ProcessGroup::title() const {
  return description.empty() || description == "undefined"
             ? fmt::format("process group {}", name)
             : fmt::format("process group {} ({})", name, description);
}

// One dump into the groups of all.
class DumpReader {
 public:
  DumpReader(Dumps& dumps, const Document& document, int rank)
      : dumps_(dumps), document_(document), rank_(rank) {}

  // Whether it is a dump.
  bool read() {
    const auto& root = document_.at(document_.root);
    const auto* entries = document_.find(root, "entries");
    const auto* config = document_.find(root, "pg_config");
    if (entries == nullptr && config == nullptr) return false;
    read_groups(config);
    if (entries == nullptr) return true;
    const auto& list = entries->items;
    for (const auto entry : std::span(list).last(std::min(list.size(), kMostCalls)))
      read_call(document_.at(entry));
    for (auto& [key, place] : places_) sort_calls(dumps_.groups_[place].ranks[rank_]);
    return true;
  }

 private:
  void read_groups(const Value* config) {
    if (config == nullptr || config->kind != ValueKind::dict) return;
    std::size_t nranks = 0;
    for (std::size_t i = 0; i + 1 < config->items.size() && nranks < kMostRanks; i += 2) {
      const auto& name = document_.at(config->items[i]).text;
      const auto& about = document_.at(config->items[i + 1]);
      const auto* ranks = document_.find(about, "ranks");
      nranks += 1 + (ranks == nullptr ? 0 : ranks->text.size() + ranks->items.size());
      const auto place = group_of(name, document_.text(about, "desc"), ranks_in(document_, ranks));
      dumps_.groups_[place].ranks[rank_];
    }
  }

  // The place of the group of that name and those members among all.
  std::size_t group_of(const std::string& name, std::string_view description,
                       std::vector<int> members) {
    const auto known = places_.find(name);
    if (known != places_.end()) return known->second;
    auto& groups = dumps_.groups_;
    const auto [same, is_new] = dumps_.places_.try_emplace({name, members}, groups.size());
    if (is_new)
      groups.push_back(
          {.name = name, .description = shortened(description, 40), .members = std::move(members)});
    places_.emplace(name, same->second);
    return same->second;
  }

  void read_call(const Value& entry) {
    const auto* group = document_.find(entry, "process_group");
    if (group == nullptr || group->items.empty()) return;
    const auto name = document_.at(group->items[0]).text;
    const auto description = group->items.size() > 1 ? document_.at(group->items[1]).text : "";
    auto& calls = dumps_.groups_[group_of(name, description, {})].ranks[rank_];
    const auto profiled = document_.text(entry, "profiling_name");
    CallText text{.operation = shortened(profiled.substr(profiled.find(':') + 1), 60)};
    const auto input = tensors_of(document_, entry, "input");
    const auto output = tensors_of(document_, entry, "output");
    if (!input.shown.empty() || !output.shown.empty())
      text.tensors = input.shown == output.shown
                         ? input.shown
                         : fmt::format("{} -> {}", input.shown, output.shown);
    if (std::ranges::find(kAlike, text.operation) != std::end(kAlike))
      text.compared = input.compared + "/" + output.compared;
    text.place = place_of(document_, entry);
    const bool sends = document_.integer(entry, "is_p2p", 0) != 0 ||
                       text.operation.starts_with("send ") || text.operation.starts_with("recv ");
    Call call{.sequence = document_.integer(entry, "collective_seq_id", 0),
              .state = state_named(document_.text(entry, "state")),
              .text = &*dumps_.texts_.insert(std::move(text)).first};
    (sends ? calls.sends : calls.collectives).push_back(call);
  }

  // One call for each sequence number: that of a group of calls is the last, which closes it. Where
  // ranks send too, such groups may be of sends, and say nothing.
  static void sort_calls(RankCalls& calls) {
    auto& list = calls.collectives;
    if (!calls.sends.empty())
      std::erase_if(list, [](const Call& call) { return call.text->operation == "coalesced"; });
    std::ranges::stable_sort(list, {}, &Call::sequence);
    std::vector<Call> last;
    for (const auto& call : list) {
      if (!last.empty() && last.back().sequence == call.sequence) last.pop_back();
      last.push_back(call);
    }
    list = std::move(last);
  }

  Dumps& dumps_;
  const Document& document_;
  int rank_;
  std::map<std::string, std::size_t> places_;  // of groups, by name
};

int rank_of_dump(const std::filesystem::path& file) {
  constexpr std::size_t kMostDigits = 7;
  auto name = file.filename().string();
  for (const std::string_view ending : {".json", ".pkl", ".pickle", ".bin"})
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  const auto end = name.find_last_not_of("0123456789");
  const auto digits = end == std::string::npos ? name : name.substr(end + 1);
  if (digits.empty() || digits.size() > kMostDigits) return -1;
  int rank = -1;
  std::from_chars(digits.data(), digits.data() + digits.size(), rank);
  return rank;
}

std::optional<std::string> Dumps::add(const std::string& file, std::string_view bytes) {
  const int rank = rank_of_dump(file);
  if (rank < 0)
    return ": its name does not end in a rank, as that of a dump of PyTorch's flight recorder "
           "does.";
  if (const auto known = files_.find(rank); known != files_.end())
    return fmt::format(": rank {} has a dump already: {}.", rank, known->second);
  constexpr char kProtocol = '\x80';
  const auto document = bytes.starts_with(kProtocol) ? read_pickle(bytes) : read_json(bytes);
  if (!document) return document.sentence();
  if (!DumpReader(*this, *document, rank).read())
    return ": it is no dump of PyTorch's flight recorder: it has neither entries nor pg_config.";
  files_.emplace(rank, file);
  return {};
}

}  // namespace linerate::hang
