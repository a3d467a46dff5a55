// What files of the system's configuration say, of this machine or of another one's.
#include "base/text.h"
#include "diagnose/node/snapshot_parts.h"
#include "topo/detect/sysfs.h"

#include <algorithm>
#include <array>
#include <map>

namespace linerate::node {
namespace {

namespace fs = std::filesystem;
using topo::text_in;

// The last line counts, and a file hides those of its name in folders behind (logind.conf(5)). A
// line behind # tells what the distribution's systemd takes without it.
std::string remove_ipc(const fs::path& root) {
  std::map<std::string, fs::path> files;  // the main one is the first
  for (const auto* folder : {"etc/systemd", "run/systemd", "usr/lib/systemd"}) {
    if (!text_in(root / folder / "logind.conf").empty())
      files.emplace("", root / folder / "logind.conf");
    for (const auto& name : topo::names_in(root / folder / "logind.conf.d"))
      if (name.ends_with(".conf")) files.emplace(name, root / folder / "logind.conf.d" / name);
  }
  std::string usual = "yes", set;
  for (const auto& [name, file] : files)
    for (const auto& line : split(text_in(file), '\n')) {
      const bool is_comment = line.starts_with('#');
      const auto words = split(std::string_view(line).substr(is_comment ? 1 : 0), '=');
      if (words.size() == 2 && trim(words[0]) == "RemoveIPC")
        (is_comment ? usual : set) = lower(trim(words[1]));
    }
  return set.empty() ? usual : set;
}

// Of the first line of /etc/hosts that has the name: "loopback" or "other"; empty: none has.
std::string kind_of_own_address(const fs::path& root, const std::string& hostname) {
  for (auto line : split(text_in(root / "etc/hosts"), '\n')) {
    line.resize(std::min(line.size(), line.find('#')));
    std::ranges::replace(line, '\t', ' ');
    const auto words = split(line, ' ');
    if (std::ranges::find(words, hostname) == words.end()) continue;
    return words[0].starts_with("127.") || words[0] == "::1" ? "loopback" : "other";
  }
  return {};
}

}  // namespace

void add_configured(Snapshot& snapshot, const fs::path& root) {
  std::error_code failed;
  if (fs::exists(root / "run/systemd/system", failed))  // sd_booted(3)
    snapshot.facts["logind RemoveIPC"] = remove_ipc(root);
  if (auto kind = kind_of_own_address(root, snapshot.node); !kind.empty())
    snapshot.facts["hosts own name"] = std::move(kind);
}

}  // namespace linerate::node
