// Work is what /proc/stat counts: user, nice, system, idle, iowait, irq, softirq, steal, in ticks.
#include "diagnose/health/processors.h"

#include "base/handle.h"
#include "topo/detect/sysfs.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <span>
#include <string_view>

namespace linerate::health {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kStatBytes = std::size_t{256} << 10;  // of some 4000 processors
constexpr std::size_t kMostProcessors = 1 << 16;
constexpr std::uint64_t kLeastTicks = 10;  // that tell whether a processor worked: 0.1 s
constexpr double kWorks = 0.8;             // of the time
// What processors of servers fall to when all cores work, with AVX-512 too, is above half of the
// most that one of them reaches.
constexpr double kLeastShare = 0.5;
constexpr double kKhzOfMhz = 1000;

// As much as `into` holds.
std::string_view read_into(const char* file, std::span<char> into) {
  const FileDescriptor opened(::open(file, O_RDONLY | O_CLOEXEC));
  std::size_t bytes = 0;
  while (opened && bytes < into.size()) {
    const auto got = ::read(opened.get(), into.data() + bytes, into.size() - bytes);
    if (got <= 0) break;
    bytes += static_cast<std::size_t>(got);
  }
  return {into.data(), bytes};
}

// The number at the text's beginning, which it loses, with blanks before it.
std::uint64_t take_number(std::string_view& text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  std::uint64_t number = 0;
  const auto* end = std::from_chars(text.data(), text.data() + text.size(), number).ptr;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace

Processors::Processors(const fs::path& sysfs, const fs::path& proc,
                       std::vector<std::string>& unread)
    : stat_file_(proc / "stat"), text_(kStatBytes) {
  const auto folder = sysfs / "devices/system/cpu";
  std::int64_t least_khz = 0;  // of those that differ, the slowest
  for (const auto& name : topo::names_in(folder)) {
    const auto current = folder / name / "cpufreq/scaling_cur_freq";
    const auto max_khz = topo::number_in(folder / name / "cpufreq/cpuinfo_max_freq");
    std::string_view digits = name;
    if (!digits.starts_with("cpu") || !max_khz || !topo::number_in(current)) continue;
    digits.remove_prefix(3);
    const auto number = take_number(digits);
    if (number >= kMostProcessors) continue;
    if (processors_.size() <= number) processors_.resize(number + 1);
    processors_[number].frequency_file = current;
    least_khz = least_khz == 0 ? *max_khz : std::min(least_khz, *max_khz);
  }
  if (processors_.empty()) {
    unread.push_back("frequency of processors: " + (folder / "cpu*/cpufreq").string() +
                     " is not there");
    return;
  }
  frequency_ = Gauge("busy processors", "frequency_mhz",
                     kLeastShare * static_cast<double>(least_khz) / kKhzOfMhz);
  told_ = !read_into(stat_file_.c_str(), text_).empty();
  if (!told_) unread.push_back("which processors work: " + stat_file_ + " cannot be read");
}

void Processors::look(std::size_t number, std::uint64_t work, std::uint64_t all) {
  if (number >= processors_.size() || processors_[number].frequency_file.empty()) return;
  auto& processor = processors_[number];
  const auto worked = static_cast<double>(work - processor.work);
  const auto ticks = all - processor.all;
  if (processor.all > 0 && ticks < kLeastTicks) return;
  const bool works = processor.all > 0 && worked >= kWorks * static_cast<double>(ticks);
  processor.work = work;
  processor.all = all;
  if (!works) return;
  std::array<char, 32> text{};
  auto khz = read_into(processor.frequency_file.c_str(), text);
  mhz_ += static_cast<double>(take_number(khz)) / kKhzOfMhz;
  ++busy_;
}

void Processors::sample() {
  if (!told_) return;
  mhz_ = busy_ = 0;
  auto text = read_into(stat_file_.c_str(), text_);
  for (;;) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    if (!line.starts_with("cpu")) break;
    text.remove_prefix(std::min(end + 1, text.size()));
    line.remove_prefix(3);
    if (line.starts_with(' ')) continue;  // of all together
    const auto number = static_cast<std::size_t>(take_number(line));
    std::uint64_t all = 0, idle = 0;
    for (int field = 0; field < 8; ++field) {
      const auto ticks = take_number(line);
      all += ticks;
      if (field == 3 || field == 4) idle += ticks;
    }
    look(number, all - idle, all);
  }
  if (busy_ > 0) frequency_.add(mhz_ / busy_);
}

void Processors::finish(NodeHealth& health) const {
  if (frequency_.ever())
    health.values.push_back(frequency_.value());
  else if (told_)
    health.unread.emplace_back("frequency of busy processors: none worked between two samples");
}

}  // namespace linerate::health
