// What hwloc shows of a machine, of this one, of another one's XML, or made up: processors, the PCI
// bus and its devices, and NVLinks. Files are read in a process of their own, because foreign XML
// can break hwloc.
#pragma once

#include "base/result.h"
#include "topo/detect/pci_tree.h"
#include "topo/detect/sysfs.h"
#include "topo/system/system.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct hwloc_topology;  // hwloc_topology_t points to it
struct hwloc_obj;       // hwloc_obj_t points to it

namespace linerate::topo {

using HwlocTopology = std::unique_ptr<hwloc_topology, void (*)(hwloc_topology*)>;

// A topology that `configure` has told, by a hwloc_topology_t, what to load; null where that yields
// false, or hwloc fails.
HwlocTopology load_hwloc(const std::function<bool(hwloc_topology*)>& configure);

// What the object's info attribute of that name says; empty: nothing, or there is no object.
std::string_view info_of(hwloc_obj* object, const char* name);

// One for each memory node that has hardware threads of its own, by number. What is missing goes
// to `unseen`. REQUIRES: the topology is loaded.
std::vector<Cpu> cpus_of_hwloc(hwloc_topology* topology, std::vector<std::string>& unseen);

// Processors of this machine, all of it, whatever this process may use. Empty where hwloc fails.
std::vector<Cpu> cpus_of_this_machine(std::vector<std::string>& unseen);

// Those that this process' control group leaves it; none where hwloc fails.
ThreadSet usable_threads();

// All devices and bridges, with GPUs and NIC ports. hwloc tells no port's rate, and of a link the
// product of speed and width alone: `unseen` gets a sentence for each. Memory nodes are those of
// `cpus`. REQUIRES: the topology was loaded with its I/O objects.
std::vector<FoundPci> devices_of_hwloc(hwloc_topology* topology, std::span<const Cpu> cpus,
                                       std::vector<std::string>& unseen);

// The link of that many GB/s as hwloc counts them, after encoding: of all that give it the widest.
// Empty: 0, or no known link.
PciLink link_of_payload(double payload_gbps);

// Gives the GPUs among `devices` the links that hwloc's matrix NVLinkBandwidth has of them; hwloc
// makes it where it was built with NVIDIA's library and a driver was there. Bandwidths that are no
// number of links, and a matrix that is not there, are told in `unseen`.
void add_nvlinks(hwloc_topology* topology, std::vector<FoundPci>& devices,
                 std::vector<std::string>& unseen);

enum class Trial : std::uint8_t { yes, no, broke };

// What the other process may take.
struct TrialLimits {
  unsigned seconds = 3;  // of processor time: a busy machine does not count
  std::size_t more_bytes = std::size_t{1} << 30;  // of address space, beyond what this one has
};

// What `what` answers in a copy of this process, which says nothing; `broke` where that dies or
// takes more than its limits. `yes` where no process can be made. Nothing that it changes is seen
// here.
Trial try_apart(const std::function<bool()>& what, const TrialLimits& limits = {});

// The system in hwloc's XML of versions 1 and 2. Refused in a sentence: anything but a regular file
// of at most 64 MiB, text that hwloc cannot read, and version 3, which came with hwloc 3. hwloc
// trusts what it reads, so that a copy of this process reads it first: a damaged file costs no
// more.
Result<System> load_hwloc_xml(const std::string& path);

// The same of the text of a file; `path` is what sentences call it.
Result<System> read_hwloc_xml(const std::string& text, const std::string& path);

// What is kept of a loaded topology. REQUIRES: I/O objects were not filtered out.
System system_of_hwloc(hwloc_topology* topology);

}  // namespace linerate::topo
