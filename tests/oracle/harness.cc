// What NCCL itself finds and chooses on a described machine: its graph search and its tuning, built
// from its own source beside this file, in the order of its initTransportsRank (src/init.cc).
// Usage: harness FILE.xml NNODES sum|avg. Prints channels, then a line for each collective and
// size.
//
// NCCL_VERSION_MINOR is that of the source, 18 to 30. Linked with --unresolved-symbols=ignore-all:
// what touches a GPU is never called.
#include "tests/oracle/harness.h"

#include "graph.h"
#include "graph/topo.h"
#include "graph/xml.h"
#include "transport.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

namespace {

#define TRY(call)                        \
  do {                                   \
    if ((call) != ncclSuccess) {         \
      std::printf("failed %s\n", #call); \
      std::exit(3);                      \
    }                                    \
  } while (false)

constexpr std::uint64_t kHostHash = 0x1234;

template <typename T>
T* zeroed(std::size_t count = 1) {
  return static_cast<T*>(std::calloc(count, sizeof(T)));
}

// ---- the transports that decide which GPUs reach each other

#if NCCL_VERSION_MINOR >= 23
ncclResult_t p2p_can_connect(int* can, ncclComm* comm, ncclTopoGraph*, ncclPeerInfo* one,
                             ncclPeerInfo* other) {
#if NCCL_VERSION_MINOR >= 28
  return ncclTopoCheckP2p(comm, comm->topo, one->rank, other->rank, can, nullptr, nullptr, nullptr);
#elif NCCL_VERSION_MINOR >= 24
  return ncclTopoCheckP2p(comm, comm->topo, one->rank, other->rank, can, nullptr, nullptr);
#else
  return ncclTopoCheckP2p(comm->topo, one->rank, other->rank, can, nullptr, nullptr);
#endif
}
ncclResult_t shm_can_connect(int* can, ncclComm*, ncclTopoGraph*, ncclPeerInfo*, ncclPeerInfo*) {
  *can = 1;
  return ncclSuccess;
}
#else
ncclResult_t p2p_can_connect(int* can, ncclTopoSystem* system, ncclTopoGraph*, ncclPeerInfo* one,
                             ncclPeerInfo* other) {
  return ncclTopoCheckP2p(system, one->busId, other->busId, can, nullptr, nullptr);
}
ncclResult_t shm_can_connect(int* can, ncclTopoSystem*, ncclTopoGraph*, ncclPeerInfo*,
                             ncclPeerInfo*) {
  *can = 1;
  return ncclSuccess;
}
#endif

ncclTransport p2p_transport{"P2P"}, shm_transport{"SHM"};

// ---- the steps of initTransportsRank

ncclTopoSystem* system_of(const char* file) {
  ncclXml* xml = nullptr;
  ncclTopoSystem* system = nullptr;
#if NCCL_VERSION_MINOR >= 21
  TRY(xmlAlloc(&xml, NCCL_TOPO_XML_MAX_NODES));
#else
  xml = zeroed<ncclXml>();
#endif
  TRY(ncclTopoGetXmlFromFile(file, xml, 1));
#if NCCL_VERSION_MINOR >= 21
  ncclXmlNode* cpu = nullptr;
  TRY(xmlFindTag(xml, "cpu", &cpu));
  while (cpu != nullptr) {
    TRY(xmlSetAttrLong(cpu, "host_hash", kHostHash));
    TRY(xmlFindNextTag(xml, "cpu", cpu, &cpu));
  }
  TRY(ncclTopoGetSystemFromXml(xml, &system, kHostHash));
#else
  TRY(ncclTopoGetSystemFromXml(xml, &system));
#endif
  return system;
}

// Ranks go through the GPUs of one node, then those of the next.
void add_ranks(ncclComm* comm) {
  const auto& gpus = comm->topo->nodes[GPU];
  comm->nRanks = gpus.count * comm->nNodes;
  comm->localRanks = gpus.count;
  comm->minCompCap = std::numeric_limits<int>::max();
  comm->peerInfo = zeroed<ncclPeerInfo>(static_cast<std::size_t>(comm->nRanks) + 1);
  comm->rankToNode = zeroed<int>(static_cast<std::size_t>(comm->nRanks));
#if NCCL_VERSION_MINOR >= 28
  comm->maxLocalRanks = comm->minLocalRanks = gpus.count;
#else
  comm->maxLocalRanks = gpus.count;
#endif
  for (int rank = 0; rank < comm->nRanks; ++rank) {
    auto& peer = comm->peerInfo[rank];
    peer.rank = rank;
    peer.hostHash = static_cast<std::uint64_t>(1 + rank / gpus.count);
    peer.gdrSupport = 1;
    peer.nvmlDev = peer.cudaDev = rank % gpus.count;
    comm->rankToNode[rank] = rank / gpus.count;
  }
  for (int g = 0; g < gpus.count; ++g) {
    const auto& gpu = gpus.nodes[g];
    auto& peer = comm->peerInfo[gpu.gpu.rank];
    peer.busId = gpu.id;
    peer.cudaCompCap = gpu.gpu.cudaCompCap;
    comm->minCompCap = std::min(comm->minCompCap, gpu.gpu.cudaCompCap);
    comm->maxCompCap = std::max(comm->maxCompCap, gpu.gpu.cudaCompCap);
  }
  comm->compCap = comm->minCompCap;
}

void compute_paths(ncclComm* comm) {
  TRY(ncclTopoComputePaths(comm->topo, comm));
  TRY(ncclTopoTrimSystem(comm->topo, comm));
  TRY(ncclTopoComputePaths(comm->topo, comm));
  TRY(ncclTopoSearchInit(comm->topo));
#if NCCL_VERSION_MINOR >= 22
  TRY(ncclTopoComputeCommCPU(comm));
#endif
}

struct Graphs {
  ncclTopoGraph ring{}, tree{}, collnet_chain{}, collnet_direct{}, nvls{};

  // By algorithm, as NCCL orders them.
  std::vector<ncclTopoGraph*> by_algorithm() {
    return {&tree, &ring, &collnet_direct, &collnet_chain, &nvls, &nvls, &tree};
  }
};

ncclTopoGraph graph_to_find(int id, int pattern, int min_channels, int max_channels) {
  ncclTopoGraph graph{};
  graph.id = id;
  graph.pattern = pattern;
  graph.minChannels = min_channels;
  graph.maxChannels = max_channels;
  return graph;
}

void search(ncclComm* comm, Graphs& found) {
  found.ring = graph_to_find(0, NCCL_TOPO_PATTERN_RING, 1, MAXCHANNELS / 2);
  TRY(ncclTopoCompute(comm->topo, &found.ring));
  const int rings = found.ring.nChannels;
  found.tree = graph_to_find(1, NCCL_TOPO_PATTERN_BALANCED_TREE, rings, rings);
  TRY(ncclTopoCompute(comm->topo, &found.tree));
  found.nvls = graph_to_find(3, NCCL_TOPO_PATTERN_NVLS, 1, MAXCHANNELS);
  if (comm->nvlsSupport) TRY(ncclTopoCompute(comm->topo, &found.nvls));
  if (found.nvls.nChannels == 0) comm->nvlsSupport = comm->nvlsChannels = 0;
  comm->nChannels = std::min(found.tree.nChannels, found.ring.nChannels);
  found.collnet_chain = found.tree;
  ncclTopoGraph* dumped[] = {&found.ring, &found.tree, &found.nvls};
  TRY(ncclTopoDumpGraphs(comm->topo, 3, dumped));
}

// The ranks of a channel, as the same rank of a later node has them.
ncclTopoRanks later(ncclTopoRanks ranks, int by) {
  for (int c = 0; c < MAXCHANNELS; ++c)
    for (int* of : {ranks.ringRecv, ranks.ringSend, ranks.ringPrev, ranks.ringNext,
                    ranks.treeToParent, ranks.treeToChild0, ranks.treeToChild1, ranks.nvlsHeads})
      if (of[c] >= 0) of[c] += by;
  return ranks;
}

// Joins the channels of all nodes, which settles how many collectives run on.
void connect(ncclComm* comm, std::vector<ncclTopoGraph*> graphs) {
  const int own = comm->localRanks, found = comm->nChannels;
  std::vector<ncclTopoRanks> ranks(static_cast<std::size_t>(comm->nRanks));
  std::vector<ncclTopoRanks*> all;
  std::vector<int> first_ranks, patterns;
  for (int r = own - 1; r >= 0; --r) {  // rank 0 last: its channels stay
    comm->rank = r;
    TRY(ncclTopoPreset(comm, graphs.data(), &ranks[static_cast<std::size_t>(r)]));
  }
  for (int r = 0; r < comm->nRanks; ++r) {
    auto& of_rank = ranks[static_cast<std::size_t>(r)];
    of_rank = later(ranks[static_cast<std::size_t>(r % own)], r < own ? 0 : r - r % own);
    all.push_back(&of_rank);
  }
  for (int node = 0; node < comm->nNodes; ++node) {
    first_ranks.push_back(ranks[static_cast<std::size_t>(node * own)].ringRecv[0]);
    patterns.push_back(graphs[NCCL_ALGO_TREE]->pattern);
  }
  std::vector<int> rings(static_cast<std::size_t>(comm->nRanks) * MAXCHANNELS);
  comm->nChannels = found;
#if NCCL_VERSION_MINOR >= 21
  TRY(ncclTopoPostset(comm, first_ranks.data(), patterns.data(), all.data(), rings.data(),
                      graphs.data(), nullptr));
#else
  TRY(ncclTopoPostset(comm, first_ranks.data(), patterns.data(), all.data(), rings.data(),
                      graphs.data()));
#endif
}

// ---- what it prints

void print_graph(const char* name, const ncclTopoGraph& graph) {
  std::printf("graph %s %d %g %g %d %d\n", name, graph.nChannels, graph.bwIntra, graph.bwInter,
              graph.typeIntra, graph.typeInter);
}

struct Collective {
  const char* name;
  ncclFunc_t function;
};
constexpr Collective kCollectives[] = {{"all_reduce", ncclFuncAllReduce},
                                       {"all_gather", ncclFuncAllGather},
                                       {"reduce_scatter", ncclFuncReduceScatter},
                                       {"broadcast", ncclFuncBroadcast},
                                       {"reduce", ncclFuncReduce}};

void print_choices(ncclComm* comm, bool averages) {
  constexpr std::size_t kLeast = 64, kMost = std::size_t{16} << 30, kFactor = 4;
  for (const auto& [name, function] : kCollectives)
    for (std::size_t bytes = kLeast; bytes <= kMost; bytes *= kFactor) {
      const Choice made = choose(comm, {function, bytes, averages});
      if (made.algorithm < 0)
        std::printf("row %s %zu none none 0 0\n", name, bytes);
      else
        std::printf("row %s %zu %s %s %.2f %d\n", name, bytes, ncclAlgoStr[made.algorithm],
                    ncclProtoStr[made.protocol], made.time_us, made.channels);
    }
}

}  // namespace

ncclTransport* ncclTransports[NTRANSPORTS] = {&p2p_transport, &shm_transport};

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  p2p_transport.canConnect = p2p_can_connect;
  shm_transport.canConnect = shm_can_connect;
  auto* comm = zeroed<ncclComm>();
  comm->sharedRes = zeroed<ncclSharedResources>();
  comm->sharedRes->owner = comm;
#if NCCL_VERSION_MINOR >= 22
  comm->netDeviceType = NCCL_NET_DEVICE_HOST;
#endif
  comm->nNodes = std::atoi(argv[2]);
  comm->topo = system_of(argv[1]);
  add_ranks(comm);
  read_settings(comm);
  compute_paths(comm);
  init_nvls(comm);
  Graphs found;
  search(comm, found);
  print_graph("ring", found.ring);
  print_graph("tree", found.tree);
  print_graph("nvls", found.nvls);
  connect(comm, found.by_algorithm());
  tune_nvls(comm, &found.nvls);
  std::printf("channels %d %d\n", comm->nChannels, comm->nvlsSupport ? comm->nvlsChannels : 0);
#if NCCL_VERSION_MINOR >= 28
  TRY(ncclTopoInitTunerConstants(comm));
#endif
#if NCCL_VERSION_MINOR >= 24
  comm->maxTreePattern = found.tree.pattern;
#endif
  if (ncclTopoTuneModel(comm, comm->minCompCap, comm->maxCompCap, found.by_algorithm().data()) !=
      ncclSuccess) {
    std::printf("refused\n");
    return 0;
  }
  print_choices(comm, std::strcmp(argv[3], "avg") == 0);
}
