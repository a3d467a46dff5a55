// What a record may keep of the environment: exact names, and NCCL's own namespace.
//
// Records are sent to colleagues and attached to tickets, so a variable stands in this table only
// if it explains a result and can never hold a credential. docs/output-format.md says so.
#include "base/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace linerate {
namespace {

// Sorted, for a binary search.
constexpr auto kRecorded = std::to_array<std::string_view>({
    // CUDA: which GPUs there are, and how work reaches them.
    "CUDA_DEVICE_MAX_CONNECTIONS",
    "CUDA_DEVICE_ORDER",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_MODULE_LOADING",
    "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
    "CUDA_VISIBLE_DEVICES",
    // libfabric: the provider, its interfaces and its protocols.
    "FI_CXI_ATS",
    "FI_CXI_DEFAULT_CQ_SIZE",
    "FI_CXI_DISABLE_HOST_REGISTER",
    "FI_CXI_RDZV_PROTO",
    "FI_CXI_RDZV_THRESHOLD",
    "FI_CXI_RX_MATCH_MODE",
    "FI_EFA_ENABLE_SHM_TRANSFER",
    "FI_EFA_FORK_SAFE",
    "FI_EFA_USE_DEVICE_RDMA",
    "FI_HMEM",
    "FI_LOG_LEVEL",
    "FI_MR_CACHE_MONITOR",
    "FI_OFI_RXM_USE_SRX",
    "FI_PROVIDER",
    "FI_PSM2_DISCONNECT",
    "FI_SOCKETS_IFACE",
    "FI_TCP_IFACE",
    "FI_VERBS_IFACE",
    // Gloo: its network interface.
    "GLOO_SOCKET_IFNAME",
    // Open MPI: the job's shape, and which components carry and reduce the data.
    "OMPI_COMM_WORLD_LOCAL_RANK",
    "OMPI_COMM_WORLD_LOCAL_SIZE",
    "OMPI_COMM_WORLD_NODE_RANK",
    "OMPI_COMM_WORLD_RANK",
    "OMPI_COMM_WORLD_SIZE",
    "OMPI_MCA_btl",
    "OMPI_MCA_btl_openib_allow_ib",
    "OMPI_MCA_btl_tcp_if_exclude",
    "OMPI_MCA_btl_tcp_if_include",
    "OMPI_MCA_btl_tcp_links",
    "OMPI_MCA_btl_vader_single_copy_mechanism",
    "OMPI_MCA_coll",
    "OMPI_MCA_coll_han_priority",
    "OMPI_MCA_coll_hcoll_enable",
    "OMPI_MCA_coll_sm_priority",
    "OMPI_MCA_coll_tuned_allgather_algorithm",
    "OMPI_MCA_coll_tuned_allreduce_algorithm",
    "OMPI_MCA_coll_tuned_alltoall_algorithm",
    "OMPI_MCA_coll_tuned_bcast_algorithm",
    "OMPI_MCA_coll_tuned_dynamic_rules_filename",
    "OMPI_MCA_coll_tuned_reduce_algorithm",
    "OMPI_MCA_coll_tuned_reduce_scatter_algorithm",
    "OMPI_MCA_coll_tuned_use_dynamic_rules",
    "OMPI_MCA_coll_ucc_cls",
    "OMPI_MCA_coll_ucc_cts",
    "OMPI_MCA_coll_ucc_enable",
    "OMPI_MCA_coll_ucc_np",
    "OMPI_MCA_coll_ucc_priority",
    "OMPI_MCA_hwloc_base_binding_policy",
    "OMPI_MCA_mpi_yield_when_idle",
    "OMPI_MCA_mtl",
    "OMPI_MCA_opal_cuda_support",
    "OMPI_MCA_osc",
    "OMPI_MCA_pml",
    "OMPI_MCA_pml_ucx_devices",
    "OMPI_MCA_pml_ucx_tls",
    "OMPI_MCA_rmaps_base_mapping_policy",
    "OMPI_MCA_rmaps_base_oversubscribe",
    // Slurm: the job's shape and the binding of its tasks.
    "SLURMD_NODENAME",
    "SLURM_CLUSTER_NAME",
    "SLURM_CPUS_ON_NODE",
    "SLURM_CPUS_PER_GPU",
    "SLURM_CPUS_PER_TASK",
    "SLURM_CPU_BIND",
    "SLURM_CPU_BIND_TYPE",
    "SLURM_DISTRIBUTION",
    "SLURM_GPUS",
    "SLURM_GPUS_ON_NODE",
    "SLURM_GPUS_PER_NODE",
    "SLURM_GPUS_PER_TASK",
    "SLURM_GPU_BIND",
    "SLURM_HINT",
    "SLURM_JOBID",
    "SLURM_JOB_CPUS_PER_NODE",
    "SLURM_JOB_GPUS",
    "SLURM_JOB_ID",
    "SLURM_JOB_NODELIST",
    "SLURM_JOB_NUM_NODES",
    "SLURM_JOB_PARTITION",
    "SLURM_LOCALID",
    "SLURM_MEM_BIND",
    "SLURM_MPI_TYPE",
    "SLURM_NNODES",
    "SLURM_NODEID",
    "SLURM_NODELIST",
    "SLURM_NPROCS",
    "SLURM_NTASKS",
    "SLURM_NTASKS_PER_GPU",
    "SLURM_NTASKS_PER_NODE",
    "SLURM_PROCID",
    "SLURM_STEPID",
    "SLURM_STEP_GPUS",
    "SLURM_STEP_ID",
    "SLURM_STEP_NODELIST",
    "SLURM_STEP_NUM_NODES",
    "SLURM_STEP_NUM_TASKS",
    "SLURM_STEP_TASKS_PER_NODE",
    "SLURM_TASKS_PER_NODE",
    "SLURM_THREADS_PER_CORE",
    "SLURM_TOPOLOGY_ADDR",
    "SLURM_TOPOLOGY_ADDR_PATTERN",
    // UCC: its layers, and which of them takes which call.
    "UCC_CLS",
    "UCC_CL_BASIC_TLS",
    "UCC_TLS",
    "UCC_TL_CUDA_TUNE",
    "UCC_TL_NCCL_TUNE",
    "UCC_TL_SHARP_TUNE",
    "UCC_TL_UCP_TUNE",
    // UCX: transports, devices and the sizes at which protocols change.
    "UCX_CUDA_COPY_ASYNC_MEM_TYPE",
    "UCX_CUDA_IPC_CACHE",
    "UCX_IB_ADDR_TYPE",
    "UCX_IB_GID_INDEX",
    "UCX_IB_GPU_DIRECT_RDMA",
    "UCX_IB_NUM_PATHS",
    "UCX_IB_PCI_RELAXED_ORDERING",
    "UCX_IB_SL",
    "UCX_IB_TRAFFIC_CLASS",
    "UCX_LOG_LEVEL",
    "UCX_MAX_EAGER_RAILS",
    "UCX_MAX_RNDV_RAILS",
    "UCX_MEMTYPE_CACHE",
    "UCX_NET_DEVICES",
    "UCX_PROTO_ENABLE",
    "UCX_RC_PATH_MTU",
    "UCX_RC_TIMEOUT",
    "UCX_RNDV_SCHEME",
    "UCX_RNDV_THRESH",
    "UCX_SOCKADDR_TLS_PRIORITY",
    "UCX_TCP_CM_REUSEADDR",
    "UCX_TLS",
    "UCX_WARN_UNUSED_ENV_VARS",
    "UCX_ZCOPY_THRESH",
});
static_assert(std::ranges::is_sorted(kRecorded));

// A name with one of these is never kept, whosoever's it is.
constexpr auto kSecretWords = std::to_array<std::string_view>(
    {"TOKEN", "KEY", "PASS", "SECRET", "JWT", "AUTH", "CRED", "COOKIE"});

constexpr char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

constexpr bool sounds_secret(std::string_view name) {
  return std::ranges::any_of(kSecretWords, [&](std::string_view word) {
    return !std::ranges::search(name, word, {}, upper).empty();
  });
}
static_assert(std::ranges::none_of(kRecorded, sounds_secret));

// NCCL's variables are settings, and new versions bring new ones, so its whole namespace is kept.
bool may_be_recorded(const std::string& name) {
  if (std::ranges::binary_search(kRecorded, std::string_view(name))) return true;
  return name.starts_with("NCCL_") && !sounds_secret(name);
}

}  // namespace

std::vector<std::string> Environment::recordable() const {
  std::vector<std::string> kept;
  for (const auto& [name, value] : variables_)
    if (may_be_recorded(name)) kept.push_back(fmt::format("{}={}", name, value));
  return kept;
}

}  // namespace linerate
