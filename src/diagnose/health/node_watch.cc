// Counters of sysfs are what the table names; a | stands between several names.
#include "base/text.h"
#include "diagnose/health/gpus.h"
#include "diagnose/health/health.h"
#include "diagnose/health/kernel_log.h"
#include "diagnose/health/processors.h"
#include "topo/detect/sysfs.h"
#include "topo/machine.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace linerate::health {
namespace {

namespace fs = std::filesystem;

// Below sysfs; * is a folder. `subject` takes that folder's name, and the second one's.
struct CounterFiles {
  std::string_view folder, names, subject;
};
constexpr auto kCounterFiles = std::to_array<CounterFiles>({
    {"class/infiniband/*/ports/*/counters",
     "symbol_error|link_error_recovery|link_downed|port_rcv_errors|port_xmit_discards|"
     "local_link_integrity_errors|excessive_buffer_overrun_errors|VL15_dropped",
     "{} port {}"},
    {"class/infiniband/*/ports/*/hw_counters",
     "local_ack_timeout_err|packet_seq_err|out_of_sequence|implied_nak_seq_err|"
     "rnr_nak_retry_err|roce_adp_retrans|np_cnp_sent|rp_cnp_handled|retrans_timeout_events|"
     "unresponsive_remote_events|rx_drops",
     "{} port {}"},
    {"class/net/*/statistics",
     "rx_errors|tx_errors|rx_crc_errors|rx_missed_errors|rx_fifo_errors|tx_fifo_errors|"
     "tx_carrier_errors|rx_dropped|tx_dropped",
     "{}"},
    {"class/net/*", "carrier_changes", "{}"},
});

// Of all processors together.
constexpr auto kHeatCounters =
    std::to_array<std::string_view>({"core_throttle_count", "package_throttle_count"});

std::optional<std::uint64_t> count_in(const fs::path& file) {
  const auto number = topo::number_in(file);
  return number && *number >= 0 ? std::optional(static_cast<std::uint64_t>(*number)) : std::nullopt;
}

// Calls `found` with each folder that `rest` stands for below `done`, and what its * are.
void expand(const fs::path& done, std::string_view rest, std::vector<std::string> stars,
            const auto& found) {
  const auto star = rest.find('*');
  if (star == std::string_view::npos) return found(done / rest, stars);
  const auto folder = done / rest.substr(0, star);
  for (const auto& name : topo::names_in(folder)) {
    stars.push_back(name);
    expand(folder / name, rest.substr(std::min(star + 2, rest.size())), stars, found);
    stars.pop_back();
  }
}

void add_sysfs(const fs::path& sysfs, std::vector<Counter>& counters) {
  for (const auto& row : kCounterFiles)
    expand(sysfs, row.folder, {}, [&](const fs::path& folder, std::vector<std::string> stars) {
      stars.resize(2);
      for (const auto& name : split(row.names, '|'))
        counters.push_back({fmt::format(fmt::runtime(row.subject), stars[0], stars[1]), name,
                            [file = folder / name] { return count_in(file); }});
    });
  for (const auto name : kHeatCounters) {
    std::vector<fs::path> files;
    expand(sysfs, "devices/system/cpu/*/thermal_throttle", {},
           [&](const fs::path& folder, const auto&) { files.push_back(folder / name); });
    std::erase_if(files, [](const fs::path& file) { return !count_in(file); });
    if (files.empty()) continue;
    counters.push_back({"processors", std::string(name), [files] {
                          std::uint64_t sum = 0;
                          for (const auto& file : files) sum += count_in(file).value_or(0);
                          return std::optional(sum);
                        }});
  }
}

// InfiniBand's oldest counters stop at the most that 8, 16 or 32 bits hold.
bool is_full(const Counter& counter) {
  const bool of_port = counter.subject.find(" port ") != std::string::npos;
  return of_port &&
         (counter.before == 0xff || counter.before == 0xffff || counter.before == 0xffff'ffff);
}

}  // namespace

struct NodeWatch::Parts {
  NodeHealth health{};
  std::vector<Counter> counters{};
  std::optional<Processors> processors{};
  std::optional<Gpus> gpus{};
  KernelLog kernel_log{};

  void open_gpus(const Places& places);
  void open_xids(const Places& places);
};

// Of a saved tree the driver of this machine knows nothing.
void NodeWatch::Parts::open_gpus(const Places& places) {
  const bool any = count_nvidia_gpus(places.sysfs) > 0;
  if (!any && places.sysfs != Places().sysfs) return;
  auto library = topo::nvml::Library::open(places.nvml);
  if (library) {
    gpus.emplace(std::move(library).value());
    gpus->add_counters(counters);
  } else if (any) {
    health.unread.push_back("GPUs: " + library.sentence());
  }
  if (any || (gpus && gpus->count() > 0)) open_xids(places);
}

void NodeWatch::Parts::open_xids(const Places& places) {
  if (gpus && gpus->watch_xids()) return;
  if (const auto why = kernel_log.open(places.kernel_log); !why.empty())
    health.unread.push_back(fmt::format("Xids: the driver tells no events, and {}", why));
}

NodeWatch::NodeWatch(const Places& places) : parts_(std::make_unique<Parts>()) {
  auto& health = parts_->health;
  parts_->processors.emplace(places.sysfs, places.proc, health.unread);
  add_sysfs(places.sysfs, parts_->counters);
  parts_->open_gpus(places);
  std::erase_if(parts_->counters, [](Counter& counter) {
    const auto value = counter.read();
    counter.before = value.value_or(0);
    return !value;
  });
  for (const auto& counter : parts_->counters)
    if (is_full(counter))
      health.unread.push_back(fmt::format("{} of {}: it stands at {}, where such counters stop",
                                          counter.what, counter.subject, counter.before));
  health.counters = parts_->counters.size();
  sample();
}

NodeWatch::~NodeWatch() = default;

void NodeWatch::sample() {
  ++parts_->health.samples;
  parts_->processors->sample();
  if (parts_->gpus) parts_->gpus->sample();
}

NodeHealth NodeWatch::finish() {
  sample();
  auto& health = parts_->health;
  std::string gone;  // the last subject that lost a counter
  for (auto& counter : parts_->counters) {
    const auto after = counter.read();
    if (after && *after != counter.before)
      health.values.push_back({.subject = counter.subject,
                               .what = counter.what,
                               .before = counter.before,
                               .after = after});
    if (after || gone == counter.subject) continue;
    gone = counter.subject;
    health.unread.push_back(fmt::format("{} of {}: it is gone", counter.what, counter.subject));
  }
  parts_->processors->finish(health);
  if (parts_->gpus) parts_->gpus->finish(health);
  parts_->kernel_log.finish(health);
  return std::move(health);
}

}  // namespace linerate::health
