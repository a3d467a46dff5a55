// All views of a system, its graph and a cluster: tree, matrix, Graphviz, JSON, NCCL's XML, words.
#pragma once

#include "base/result.h"
#include "topo/cluster/cluster.h"
#include "topo/graph/graph.h"
#include "topo/graph/paths.h"
#include "topo/lint/lint.h"
#include "topo/show/text_layout.h"
#include "topo/system/system.h"
#include "topo/version.h"

#include <string>

namespace linerate::topo {

// A tree for the terminal: processors with their cores, PCI switches, GPUs and NICs with their
// links; what joins processors and GPUs; and what could not be seen. A switch above one device
// alone stands with that device, hosts that look alike once. Bandwidths are those that the graph's
// version of NCCL counts.
std::string tree_text(const Graph& graph, const TreeOptions& options = {});

struct MatrixOptions {
  bool gbps = false;       // bandwidths instead of path types
  bool all_hosts = false;  // every host of a rack, not one of those that are alike
};

// How far GPUs and NICs are apart: what `nvidia-smi topo -m` shows, with NCCL's path types: a row
// and a column for each GPU and NIC port, NVLinks by their number ("NV18"), the cores and the NUMA
// node near each; a legend below of what occurs. Hosts that look alike stand once, with what is
// between hosts in one line.
std::string matrix_text(const Graph& graph, const Paths& paths, const MatrixOptions& options = {});

// An undirected graph for `dot`: every node and link as NCCL sees them, boxes around NUMA nodes and
// hosts, links with their GB/s, coloured by kind and as thick as they are fast, degraded ones
// dashed in red.
std::string dot_text(const Graph& graph);

// Of JSON. Changes when a key changes its meaning; readers skip keys that they do not know.
inline constexpr int kTopologySchema = 1;

// The system, its graph and its paths as JSON: one object, indented, ended by a line feed:
//   kind "topology", schema, name, source, nccl_version
//   cpus    each node (its name in the graph), numa, package, model, arch, vendor, family,
//           model_number, affinity (hexadecimal words) and cores ("0-55,112-167"), devices: the PCI
//           tree with bus_id, class, link and max_link (speed, width, gbps), degraded, gpu, ports,
//           children; ports whose place on the bus nobody tells. A port has speed_gbit_s (Gb/s),
//           gbps, state, link_layer, nccl_takes and more; a gpu dev, sm, model, nvlinks, c2c
//   nodes   of the graph: name, kind (GPU, PCI, NVS, CPU, NIC, NET), host, numa, bus_id
//   links   of the graph, each direction: from, to (names), kind (NVL, C2C, PCI, SYS, ...), gbps
//   paths   between GPUs and NIC ports: from, to, type (NVL, PIX, ...), gbps, nvlinks
//   unseen  sentences
// Bandwidths are GB/s (10^9) of one direction as that version of NCCL counts them. What is not
// known is absent.
std::string json_text(const Graph& graph, const Paths& paths);

// A system as a topology file that NCCL accepts: the text of an NCCL_TOPO_FILE. What is not known
// is left out: NCCL finds it out on the machine, as it does whether GPUDirect RDMA works where
// `gdr` is false. Speeds of links are worded as NCCL understands them. A system with AMD's GPUs
// becomes a file of RCCL. Reading the file gives the system again, but for what NCCL's files do not
// tell (models, maximum link speeds, states).
//
// Refused, in a sentence: several hosts, since NCCL takes all of a file for the machine that it
// runs on, and what NCCL's parser (src/graph/xml.h) has no room for or cannot read.
Result<std::string> nccl_xml_of(const System& system);

// Of lint's JSON.
inline constexpr int kLintSchema = 1;

// Findings, a line each, those that are information marked so; where there is no warning, that
// nothing looks wrong, and what could not be seen.
std::string lint_text(const LintReport& report);
// One object, indented: kind "lint", schema; findings, each node (of several), rule, severity
// (info, warning), subject, evidence, advice; and unseen, sentences.
std::string lint_json(const LintReport& report);

// A cluster in words: its groups, what a node of each is, and the switches between them with the
// bandwidth that their oversubscription leaves; every line ended.
std::string cluster_text(const Cluster& cluster, const NcclVersion& version = {});

// Of a cluster's JSON.
inline constexpr int kClusterSchema = 1;

// One object, indented: kind "cluster", schema, name, nnodes, rails; groups, each first and count
// (nodes), topology, hosts, gpus, ports and gbps (of a node), gpu_model; racks, each first, count
// and leaf_gbps (to the spine, by rail); leaf and spine, each oversubscription and latency_us, the
// spine also gbps. Bandwidths are GB/s (10^9) one way.
std::string cluster_json(const Cluster& cluster, const NcclVersion& version = {});

}  // namespace linerate::topo
