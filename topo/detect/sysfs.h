// What /sys and /proc tell, of this machine or of a copy of another one's: small files, how Linux
// and NCCL spell processors and ports in them, and the processors and network ports of a whole
// tree.
#pragma once

#include "topo/system/system.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::topo {

// Its text without blanks around it; empty where it is not there or cannot be read. Only regular
// files are read, and of these the first 64 KiB up to the first zero byte: tar fills files of
// sysfs, which are shorter than they say, with zeros.
std::string text_in(const std::filesystem::path& file);

// The decimal or 0x number that the file holds and nothing else.
std::optional<std::int64_t> number_in(const std::filesystem::path& file);

// Names of the entries of a folder in alphabetical order; none where it cannot be read.
std::vector<std::string> names_in(const std::filesystem::path& folder);

// Where the links of `path` lead, when that is below `root`; otherwise empty: a link of a copied
// tree may point at this machine.
std::filesystem::path real_path(const std::filesystem::path& root,
                                const std::filesystem::path& path);

// Hardware threads by number.
using ThreadSet = std::set<int>;

// "ff,00000000": hexadecimal words of 32 threads, the highest first, as sysfs' cpumap. Text of
// another form yields no threads.
ThreadSet threads_in_mask(std::string_view words);
// "0-15,32": as sysfs' cpulist.
ThreadSet threads_in_list(std::string_view list);
// Words of eight digits: "000000ff,00000000"; of no thread: empty.
std::string mask_text(const ThreadSet& threads);

// Who built the processor and which one it is, as far as /proc/cpuinfo tells: arch, vendor, family,
// model and name of a Cpu.
Cpu cpu_of_cpuinfo(std::string_view cpuinfo);

// NCCL adds the extended family as if it stood four bits higher (src/graph/xml.cc): family 25 of
// Linux, 0xf + 0xa, is 175 to it.
int nccl_family(int linux_family);

// Mb/s of "400 Gb/sec (4X NDR)"; 0 of other texts.
double rate_mbps(std::string_view rate);

// "0c42:a103:00ab:12cd" as one number; 0 of other texts.
std::uint64_t guid_of(std::string_view text);

// Processors: one for each memory node that has hardware threads, by number; the whole machine
// where nodes are not shown. Empty where not even /sys/devices/system/cpu is there. What is missing
// goes to `unseen`, a sentence each.
std::vector<Cpu> cpus_of_tree(const std::filesystem::path& root, std::vector<std::string>& unseen);

// Where there are none, what nets_of_tree() says.
inline constexpr std::string_view kNoVerbsPorts =
    "No InfiniBand or RoCE devices: /sys/class/infiniband is not there or empty.";

// A port, and where it sits on the bus; no place: nobody tells.
struct FoundNet {
  Net net{};
  std::optional<BusId> place{};
};

// Ports below root/sys/class/infiniband, then interfaces below root/sys/class/net that have a
// device of their own and belong to none of these ports. What is missing goes to `unseen`.
std::vector<FoundNet> nets_of_tree(const std::filesystem::path& root,
                                   std::vector<std::string>& unseen);

}  // namespace linerate::topo
