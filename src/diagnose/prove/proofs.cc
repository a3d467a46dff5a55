// A new row needs nothing else: a test holds it to the registry of variables and to the rules.
#include "base/text.h"
#include "diagnose/prove/prove.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace linerate::prove {
namespace {

constexpr auto kProofs = std::to_array<Proof>({
    {"p2p", "GPUs of a node exchange data directly, over NVLink or PCIe", "nccl",
     "NCCL_P2P_DISABLE", "1", "disabled-by-setting costs-speed no-peer-access acs iommu"},
    {"p2p-level", "how far apart GPUs may be that exchange data directly", "nccl", "NCCL_P2P_LEVEL",
     "SYS", "no-peer-access acs"},
    {"shm", "ranks of a node without peer access exchange data through shared memory", "nccl",
     "NCCL_SHM_DISABLE", "1", "disabled-by-setting costs-speed network-within-host"},
    {"gpudirect", "how far a GPU may be from the adapter that reads its memory itself", "nccl",
     "NCCL_NET_GDR_LEVEL", "SYS", "gpudirect-off gpudirect-one-way acs"},
    {"nvls", "NVSwitches reduce, instead of the GPUs", "nccl", "NCCL_NVLS_ENABLE", "0",
     "falls-at-large-sizes"},
    {"algorithm", "the algorithm, which NCCL chooses by size", "nccl", "NCCL_ALGO", "Ring",
     "slow-sizes better-unset below-expected"},
    {"protocol", "the protocol, which NCCL chooses by size", "nccl", "NCCL_PROTO", "Simple",
     "slow-sizes better-unset"},
    {"cpu-affinity", "NCCL's threads run near their GPU, wherever the launcher bound them", "nccl",
     "NCCL_IGNORE_CPU_AFFINITY", "1", "far-processors"},
    {"infiniband", "InfiniBand or RoCE carries data between hosts, instead of TCP", "nccl",
     "NCCL_IB_DISABLE", "1", "sockets-between-hosts costs-speed"},
    {"adapters", "which InfiniBand or RoCE adapters carry data", "nccl", "NCCL_IB_HCA", "",
     "mixed-links mixed-networks loose-match"},
    {"queue-pairs", "how many queue pairs share the data of two ranks", "nccl",
     "NCCL_IB_QPS_PER_CONNECTION", "4", "below-expected"},
    {"relaxed-ordering", "adapters may write to memory out of order", "nccl",
     "NCCL_IB_PCI_RELAXED_ORDERING", "0", "below-expected"},
    {"socket-threads", "threads that serve the sockets of a connection between hosts", "nccl",
     "NCCL_SOCKET_NTHREADS", "4", "sockets-between-hosts"},
    {"sockets", "sockets of each of these threads", "nccl", "NCCL_NSOCKS_PERTHREAD", "4",
     "sockets-between-hosts"},
    {"interface", "which interface carries TCP between hosts", "nccl", "NCCL_SOCKET_IFNAME", "",
     "sockets-between-hosts loose-match better-unset"},
    {"gloo-interface", "which interface carries gloo's data", "gloo", "GLOO_SOCKET_IFNAME", "", ""},
    {"mpi-transport", "what carries the data of Open MPI", "mpi", "OMPI_MCA_btl", "tcp,self", ""},
    {"mpi-interface", "which interface carries the TCP of Open MPI", "mpi",
     "OMPI_MCA_btl_tcp_if_include", "", ""},
    {"ucx-transport", "what carries the data of UCX, below MPI", "mpi", "UCX_TLS", "tcp,self", ""},
    {"host-algorithm", "the algorithm of the host backend", "host", "--algo", "ring", "slow-sizes"},
    {"numa", "the cores of each process, and so the NUMA node of its memory", "", "taskset -c", "",
     "far-processors"},
});

Value value_of(const std::string& given) { return given == kUnset ? std::nullopt : Value(given); }

}  // namespace

std::span<const Proof> all_proofs() { return kProofs; }

Result<const Proof*> find_proof(std::string_view id) {
  const auto row = std::ranges::find(kProofs, id, &Proof::id);
  if (row != kProofs.end()) return &*row;
  std::vector<std::string_view> ids;
  for (const auto& proof : kProofs) ids.push_back(proof.id);
  return Failure{unknown_choice("thing to prove", id, ids)};
}

std::vector<std::string_view> proofs_of(std::string_view rule) {
  std::vector<std::string_view> ids;
  for (const auto& proof : kProofs)
    if (std::ranges::count(split(proof.findings, ' '), rule) > 0) ids.push_back(proof.id);
  return ids;
}

Result<Sides> sides_of(const Proof& proof, const Value& now, const Value& a, const Value& b) {
  Sides sides{.a = a ? value_of(*a) : now};
  if (b)
    sides.b = value_of(*b);
  else if (!sides.a && proof.usual.empty())
    return Failure{
        fmt::format("linerate doctor prove {0} needs --a or --b, the value that is suspected or "
                    "should be faster: {1} has none now, and none is usual.",
                    proof.id, proof.setting)};
  else if (!sides.a)
    sides.b = std::string(proof.usual);
  if (sides.a == sides.b)
    return Failure{fmt::format("A and B both have {}: give another --a or --b.",
                               plain_text(words_of(proof, sides.a)))};
  return sides;
}

std::string words_of(const Proof& proof, const Value& value) {
  if (proof.is_variable())
    return value ? fmt::format("{}={}", proof.setting, *value)
                 : fmt::format("{} {}", proof.setting, kUnset);
  return value ? fmt::format("{} {}", proof.setting, *value) : fmt::format("no {}", proof.setting);
}

std::string command_of(const Proof& proof, const Value& value, std::string_view launch,
                       std::string_view program) {
  std::string before(launch), behind;
  if (!before.empty()) before += ' ';
  if (proof.is_variable())
    before += value ? fmt::format("env {} ", shell_word(words_of(proof, value)))
                    : fmt::format("env -u {} ", proof.setting);
  else if (value && proof.is_option())
    behind = fmt::format(" {} {}", proof.setting, shell_word(*value));
  else if (value)
    before += fmt::format("{} {} ", proof.setting, shell_word(*value));
  return fmt::format("{}{}{}", before, program, behind);
}

}  // namespace linerate::prove
