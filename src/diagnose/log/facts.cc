// A line's beginning says what it is about; numbers are taken from where all versions have them.
#include "diagnose/log/facts.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace linerate::logs {
namespace {

using std::string_view;
using std::literals::operator""sv;  // compared without strlen()
constexpr auto npos = string_view::npos;
// No job has more; a file that pretends to shall not fill the memory.
constexpr int kMostRanks = 1'000'000;
constexpr std::size_t kMostEntries = 1'000'000, kMostChannels = 200'000, kMostNames = 1000;

string_view behind(string_view text, string_view mark) {
  const auto at = text.find(mark);
  return at == npos ? string_view() : text.substr(at + mark.size());
}

string_view word_of(string_view text) { return text.substr(0, text.find_first_of(" \t,")); }

int number_behind(string_view text, string_view mark) { return leading_number(behind(text, mark)); }

template <typename Set>
void keep(Set& set, string_view value) {
  if (set.size() < kMostNames && !value.empty()) set.emplace(shortened(plain_text(value), 200));
}

// Of "1[18000] [send] via …" the rank, whether it follows or, read backwards, comes before.
int rank_before(string_view text) {
  while (text.ends_with(' ')) text.remove_suffix(1);
  if (text.ends_with(']')) text = text.substr(0, text.rfind('['));
  const auto end = text.find_last_not_of("0123456789");
  return leading_number(end == npos ? text : text.substr(end + 1));
}

// "NET/IB/0(4)/GDRDMA(PCI)/Shared" -> "NET/IB"; empty: no transport that NCCL has.
string_view kind_of(string_view transport) {
  if (transport.starts_with("direct shared"sv)) return "SHM";
  if (transport.starts_with("SHM"sv)) return "SHM";
  if (!transport.starts_with("P2P/"sv) && !transport.starts_with("NET/"sv) &&
      !transport.starts_with("COLLNET/"sv))
    return {};
  const auto slash = transport.find('/');
  const auto end = transport.find_first_of("/([", slash + 1);
  auto kind = transport.substr(0, end);
  if (kind.starts_with("P2P/direct"sv)) kind = "P2P/direct";
  return kind.size() <= 40 ? kind : string_view();
}

}  // namespace

Place place_of(const Message& message) {
  return {.host = std::string(message.host),
          .pid = message.pid,
          .device = message.device,
          .rank = message.host.empty() ? message.rank : -1};
}

std::size_t CommSeen::completed() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(ranks, [](const auto& one) { return one.second.completed; }));
}

const CommSeen* LogFacts::job() const {
  const auto found = comms.find(largest_);
  return found == comms.end() ? nullptr : &found->second;
}

int LogFacts::rank_of(const Place& place) const {
  if (place.rank >= 0) return place.rank;
  const auto found = ranks.find(place);
  return found == ranks.end() ? -1 : found->second;
}

std::string LogFacts::name_of(const Place& place) const {
  const int rank = rank_of(place);
  if (rank >= 0 && place.host.empty()) return fmt::format("rank {}", rank);
  if (rank >= 0) return fmt::format("rank {} ({})", rank, place.host);
  if (place.host.empty())
    return place.device >= 0 ? fmt::format("GPU {}", place.device) : "an unknown rank";
  return place.device >= 0 ? fmt::format("{}, GPU {}", place.host, place.device) : place.host;
}

// "[ncclCommInitRank] comm 0x… rank 3 nranks 8 cudaDev 3 … commId 0x… - Init START"
void LogFacts::take_comm(const Message& message) {
  const auto text = behind(message.text, "comm 0x");
  const int rank = number_behind(text, " rank "), nranks = number_behind(text, " nranks ");
  if (rank < 0 || nranks <= rank || nranks > kMostRanks || entries_ >= kMostEntries) return;
  const auto id = word_of(behind(text, "commId "));
  const auto name = id.empty() ? fmt::format("of {}", nranks) : std::string(id);
  auto& comm = comms[name];
  comm.nranks = nranks;
  const auto [at, is_new] = comm.ranks.try_emplace(rank);
  entries_ += is_new ? 1 : 0;
  auto& seen = at->second;
  if (!message.host.empty()) seen.host = message.host;
  if (const auto* largest = job();
      largest == nullptr || comm.nranks > largest->nranks ||
      (comm.nranks == largest->nranks && comm.ranks.size() > largest->ranks.size()))
    largest_ = name;
  seen.completed |= text.find("Init COMPLETE") != npos;
  auto place = place_of(message);
  if (place.host.empty()) return;
  if (largest_ != name) return;
  entries_ += ranks.insert_or_assign(std::move(place), rank).second ? 1 : 0;
}

void LogFacts::take_version(const Message& message) {
  auto version = trim(behind(message.text, "CCL version"));
  if (version.starts_with(':')) version = trim(version.substr(1));
  keep(versions, word_of(version));
}

bool LogFacts::take_channel(const Message& message) {
  const auto text = message.text;
  const auto arrow = text.find("-> "sv), via = text.find("via "sv, arrow);
  if (arrow == npos || via == npos) return false;
  const auto transport = text.substr(via + 4);
  const auto kind = kind_of(transport);
  if (kind.empty()) return false;
  const bool net = kind.starts_with("NET/"sv) || kind.starts_with("COLLNET/"sv);
  const bool receives = text.substr(arrow, via - arrow).find("[receive]"sv) != npos;
  const bool sends = !receives;
  const int peer =
      sends ? leading_number(text.substr(arrow + 3)) : rank_before(text.substr(0, arrow));
  const bool gpudirect = transport.find("GDRDMA"sv) != npos;
  const auto hash = std::hash<string_view>{}(kind)*31 + std::hash<string_view>{}(message.host) +
                    (net ? static_cast<std::size_t>(peer) + 2 : 1) * 0x9e3779b97f4a7c15U +
                    (sends ? 3U : 0U) + (gpudirect ? 7U : 0U);
  auto known = counts_.find(hash);
  if (known == counts_.end() && channels.size() < kMostChannels)
    known = counts_
                .emplace(hash, &channels[{std::string(message.host), plain_text(kind),
                                          net ? peer : -1, sends, gpudirect}])
                .first;
  if (known != counts_.end()) ++*known->second;
  return true;
}

// "NCCL_X set by environment to V." or "NCCL_X set to V"
void LogFacts::take_setting(const Message& message) {
  constexpr string_view kNameChars = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  constexpr std::size_t kLongestName = 100;
  const auto name = message.text.substr(0, message.text.find_first_not_of(kNameChars));
  if (name.size() > kLongestName || !message.text.substr(name.size()).starts_with(" set ")) return;
  auto value = behind(message.text, " set by environment to ");
  if (value.empty()) value = behind(message.text, " set to ");
  if (value.ends_with('.')) value.remove_suffix(1);
  if (value.empty() || entries_ >= kMostEntries || settings.size() > kMostNames) return;
  auto& values = settings[std::string(name)];
  if (values.size() >= kMostNames) return;
  entries_ += values[shortened(plain_text(value), 200)].insert(place_of(message)).second ? 1 : 0;
}

// "Init timings - ncclCommInitRank: rank 0 nranks 16 total 1.53 (kernels …"
void LogFacts::take_timing(const Message& message) {
  const int rank = number_behind(message.text, " rank "),
            nranks = number_behind(message.text, " nranks ");
  const auto total = parse_number("time", word_of(behind(message.text, " total ")));
  if (rank < 0 || !total) return;
  const auto found = comms.find(largest_);
  if (found == comms.end() || found->second.nranks != nranks) return;
  const auto seen = found->second.ranks.find(rank);
  if (seen != found->second.ranks.end() && seen->second.host == message.host)
    seen->second.init_s = *total;
}

void LogFacts::keep_host(HostsByName& lists, string_view name, string_view host) {
  if (lists.size() < kMostNames && entries_ < kMostEntries && !name.empty())
    entries_ += lists[shortened(plain_text(name), 200)].emplace(host).second ? 1 : 0;
}

void LogFacts::take_network(const Message& message) {
  if (message.text.starts_with("Using network "))
    return keep_host(networks, message.text.substr(14), message.host);
  auto list = behind(message.text, ": Using ");
  list = list.substr(0, list.find("OOB"));
  while (list.ends_with(' ') || list.ends_with(';')) list.remove_suffix(1);
  keep_host(devices, list, message.host);
}

// Lines begin with `begin`, those that are not NCCL's own behind a prefix, and hold `holds`.
struct LogFacts::Reader {
  string_view begin, holds;
  void (LogFacts::*take)(const Message&);
};

bool LogFacts::take_line(const Message& message) {
  const auto text = message.text;
  if (text.starts_with("Channel "sv)) {
    const auto slash = text.find('/');
    const int rings_in_all = slash == npos ? -1 : leading_number(text.substr(slash + 1));
    if (rings_in_all > 0 && text.find(" :"sv) != npos) keep(rings, fmt::format("{}", rings_in_all));
  } else if (text.starts_with("Trees ["sv) || text.starts_with("Tree "sv)) {
    ++tree_lines;
  } else if (text.starts_with("NVLS comm"sv) || text.starts_with("Connected NVLS"sv)) {
    ++nvls_lines;
  } else if (text.starts_with("cudaDriverVersion "sv)) {
    keep(drivers, word_of(text.substr(18)));
  } else {
    return false;
  }
  return true;
}

bool LogFacts::take(const Message& message) {
  static constexpr std::array<Reader, 10> kReaders{{
      {"NCCL version ", "", &LogFacts::take_version},
      {"RCCL version", "", &LogFacts::take_version},
      {"Using network ", "", &LogFacts::take_network},
      {"NET/IB : Using ", "", &LogFacts::take_network},
      {"NCCL_", " set by environment to ", &LogFacts::take_setting},
      {"NCCL_", " set to ", &LogFacts::take_setting},
      {"ncclComm", " - Init ", &LogFacts::take_comm},
      {"[Rank ", " - Init ", &LogFacts::take_comm},
      {"comm 0x", " nranks ", &LogFacts::take_comm},
      {"Init timings - ", "", &LogFacts::take_timing},
  }};
  const auto text = message.text;
  const bool begins = message.level == Level::info;
  if ((!begins || text.starts_with("Channel "sv) || text.starts_with("Ring "sv)) &&
      take_channel(message))
    return true;
  if (begins && take_line(message)) return true;
  for (const auto& reader : kReaders) {
    if (begins && !text.starts_with(reader.begin[0])) continue;
    const auto at = begins && !text.starts_with(reader.begin) ? npos : text.find(reader.begin);
    if (at == npos || !is_prefix(text.substr(0, at)) || text.find(reader.holds) == npos) continue;
    auto from_there = message;
    from_there.text.remove_prefix(at);
    (this->*reader.take)(from_there);
    return true;
  }
  return false;
}

}  // namespace linerate::logs
