#include "topo/detect/sysfs.h"

#include "base/handle.h"
#include "base/text.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

namespace linerate::topo {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxBytes = 64 * 1024;

// Not blocking: a saved tree may hold a pipe of that name.
FileDescriptor open_regular(const fs::path& file) {
  FileDescriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!opened || ::fstat(opened.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return opened;
}

}  // namespace

std::string text_in(const fs::path& file) {
  const auto opened = open_regular(file);
  if (!opened) return {};
  std::string text;
  std::array<char, 4096> piece{};
  while (text.size() < kMaxBytes) {
    const auto got = ::read(opened.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;  // a driver refuses what it cannot tell: as if it were empty
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  text.resize(std::min({text.size(), text.find('\0'), kMaxBytes}));
  return std::string(trim(text));
}

std::optional<std::int64_t> number_in(const fs::path& file) {
  const auto number = parse_integer("value", text_in(file));
  return number ? std::optional(*number) : std::nullopt;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  fs::directory_iterator entry(folder, failed);
  for (; !failed && entry != fs::directory_iterator(); entry.increment(failed))
    names.push_back(entry->path().filename().string());
  std::ranges::sort(names);
  return names;
}

fs::path real_path(const fs::path& root, const fs::path& path) {
  std::error_code failed;
  const auto whole = fs::canonical(path, failed);
  if (failed) return {};
  const auto base = fs::canonical(root, failed);
  if (failed) return {};
  const auto [inside, rest] = std::ranges::mismatch(base, whole);
  return inside == base.end() ? whole : fs::path();
}

namespace {

constexpr int kWordBits = 32;
constexpr int kMaxThreads = 1 << 16;  // more than Linux can count
constexpr int kMaxNumber = 1 << 20;   // of a family or model

// The value behind "KEY :" in the first processor's lines.
std::string_view value_of(std::string_view cpuinfo, std::string_view key) {
  while (!cpuinfo.empty()) {
    const auto line = cpuinfo.substr(0, cpuinfo.find('\n'));
    const auto colon = line.find(':');
    if (colon != std::string_view::npos && trim(line.substr(0, colon)) == key) {
      // The blanks in Zhaoxin's "  Shanghai  " belong to it: only the separator's own one goes.
      auto value = line.substr(colon + 1);
      if (value.starts_with(' ')) value.remove_prefix(1);
      return key == "vendor_id" ? value : trim(value);
    }
    cpuinfo.remove_prefix(std::min(line.size() + 1, cpuinfo.size()));
  }
  return {};
}

// 0 where it is none.
int number_of(std::string_view cpuinfo, std::string_view key) {
  const auto number = parse_integer(key, value_of(cpuinfo, key));
  return number ? static_cast<int>(std::clamp<std::int64_t>(*number, 0, kMaxNumber)) : 0;
}

}  // namespace

ThreadSet threads_in_mask(std::string_view words) {
  const auto pieces = split(words, ',');
  if (pieces.size() > kMaxThreads / kWordBits) return {};
  ThreadSet threads;
  int first = 0;
  for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece, first += kWordBits) {
    const auto word = parse_hex(trim(*piece));
    if (!word || *word >> kWordBits != 0) return {};
    for (int bit = 0; bit < kWordBits; ++bit)
      if ((*word >> bit & 1) != 0) threads.insert(first + bit);
  }
  return threads;
}

ThreadSet threads_in_list(std::string_view list) {
  ThreadSet threads;
  std::int64_t count = 0;  // Linux names none twice
  for (const auto& piece : split(trim(list), ',')) {
    const auto dash = piece.find('-');
    const auto first = parse_integer("thread", piece.substr(0, dash));
    const auto last =
        dash == std::string::npos ? first : parse_integer("thread", piece.substr(dash + 1));
    if (!first || !last || *first < 0 || *last >= kMaxThreads) return {};
    if (count += std::max<std::int64_t>(*last - *first + 1, 0); count > kMaxThreads) return {};
    for (auto thread = *first; thread <= *last; ++thread) threads.insert(static_cast<int>(thread));
  }
  return threads;
}

std::string mask_text(const ThreadSet& threads) {
  if (threads.empty()) return {};
  std::vector<std::uint32_t> words(static_cast<std::size_t>(*threads.rbegin() / kWordBits) + 1);
  for (const int thread : threads)
    words[static_cast<std::size_t>(thread / kWordBits)] |= 1U << (thread % kWordBits);
  std::ranges::reverse(words);
  return fmt::format("{:08x}", fmt::join(words, ","));
}

int nccl_family(int linux_family) {
  constexpr int kBase = 0xf;
  return linux_family <= kBase ? linux_family : kBase + ((linux_family - kBase) << 4);
}

Cpu cpu_of_cpuinfo(std::string_view cpuinfo) {
  Cpu cpu;
  if (!value_of(cpuinfo, "vendor_id").empty()) {
    cpu.arch = CpuArch::x86_64;
    cpu.vendor = value_of(cpuinfo, "vendor_id");
    cpu.family = nccl_family(number_of(cpuinfo, "cpu family"));
    cpu.model = number_of(cpuinfo, "model");
    cpu.name = value_of(cpuinfo, "model name");
  } else if (!value_of(cpuinfo, "CPU implementer").empty()) {
    cpu.arch = CpuArch::arm64;
  } else if (value_of(cpuinfo, "cpu").starts_with("POWER")) {
    cpu.arch = CpuArch::ppc64;
    cpu.name = value_of(cpuinfo, "cpu");
  }
  return cpu;
}

double rate_mbps(std::string_view rate) {
  constexpr double kMegaPerGiga = 1000;
  return std::max(0.0, number_before(" Gb/sec", rate)) * kMegaPerGiga;
}

std::uint64_t guid_of(std::string_view text) {
  std::string digits(text);
  std::erase(digits, ':');
  return parse_hex(digits).value_or(0);
}

}  // namespace linerate::topo
