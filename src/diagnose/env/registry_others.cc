// The variables of what works beside NCCL, and the names that nobody reads.
#include "diagnose/env/registry.h"

#include <array>

namespace linerate::env {
namespace {

constexpr auto kOtherRows = std::to_array<Variable>({
    // PyTorch's process group.
    {.name = "TORCH_NCCL_ASYNC_ERROR_HANDLING", .kind = Kind::decimal, .most = 3},
    {.name = "TORCH_NCCL_AVOID_RECORD_STREAMS", .kind = Kind::boolean},
    {.name = "TORCH_NCCL_BCAST_UNIQUEID", .kind = Kind::boolean},
    {.name = "TORCH_NCCL_BLOCKING_WAIT", .kind = Kind::boolean},
    {.name = "TORCH_NCCL_COORD_CHECK_MILSEC", .kind = Kind::decimal},
    {.name = "TORCH_NCCL_CUDA_EVENT_CACHE", .kind = Kind::boolean},
    {.name = "TORCH_NCCL_DEBUG_INFO_PIPE_FILE"},
    {.name = "TORCH_NCCL_DEBUG_INFO_TEMP_FILE"},
    {.name = "TORCH_NCCL_DESYNC_DEBUG", .kind = Kind::boolean},
    {.name = "TORCH_NCCL_DUMP_ON_TIMEOUT", .kind = Kind::boolean},
    {.name = "TORCH_NCCL_ENABLE_MONITORING", .kind = Kind::boolean},
    {.name = "TORCH_NCCL_ENABLE_TIMING", .kind = Kind::boolean},
    {.name = "TORCH_NCCL_EXTRA_DUMP_ON_EXEC", .kind = Kind::boolean},
    {.name = "TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC", .kind = Kind::decimal},
    {.name = "TORCH_NCCL_HIGH_PRIORITY", .kind = Kind::boolean},
    {.name = "TORCH_NCCL_LOG_CPP_STACK_ON_UNCLEAN_SHUTDOWN", .kind = Kind::boolean},
    {.name = "TORCH_NCCL_NAN_CHECK", .kind = Kind::boolean},
    {.name = "TORCH_NCCL_NONBLOCKING_TIMEOUT", .kind = Kind::decimal},
    {.name = "TORCH_NCCL_PROPAGATE_ERROR", .kind = Kind::boolean},
    {.name = "TORCH_NCCL_RANKS_PER_ROOT", .kind = Kind::decimal, .least = 1},
    {.name = "TORCH_NCCL_RETHROW_CUDA_ERRORS", .kind = Kind::boolean},
    {.name = "TORCH_NCCL_SHOW_EAGER_INIT_P2P_SERIALIZATION_WARNING", .kind = Kind::boolean},
    {.name = "TORCH_NCCL_TRACE_BUFFER_SIZE", .kind = Kind::decimal},
    {.name = "TORCH_NCCL_TRACE_CPP_STACK", .kind = Kind::boolean},
    {.name = "TORCH_NCCL_USE_COMM_NONBLOCKING", .kind = Kind::boolean},
    {.name = "TORCH_NCCL_USE_TENSOR_REGISTER_ALLOCATOR_HOOK", .kind = Kind::boolean},
    {.name = "TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC", .kind = Kind::decimal},
    {.name = "TORCH_DISTRIBUTED_DEBUG", .kind = Kind::any_case, .choices = "OFF INFO DETAIL"},
    // CUDA, Gloo.
    {.name = "CUDA_LAUNCH_BLOCKING", .kind = Kind::any_case, .choices = "0 1", .usual = "0"},
    {.name = "GLOO_SOCKET_IFNAME"},
    // UCX.
    {.name = "UCX_IB_GID_INDEX"},
    {.name = "UCX_IB_PCI_RELAXED_ORDERING"},
    {.name = "UCX_IB_SL"},
    {.name = "UCX_IB_TRAFFIC_CLASS"},
    {.name = "UCX_LOG_LEVEL",
     .kind = Kind::any_case,
     .choices = "FATAL ERROR WARN DIAG INFO DEBUG TRACE REQ DATA ASYNC FUNC POLL"},
    {.name = "UCX_MAX_EAGER_RAILS"},
    {.name = "UCX_MAX_RNDV_RAILS"},
    {.name = "UCX_MEMTYPE_CACHE"},
    {.name = "UCX_NET_DEVICES"},
    {.name = "UCX_RNDV_SCHEME"},
    {.name = "UCX_RNDV_THRESH"},
    {.name = "UCX_TLS"},
    {.name = "UCX_WARN_UNUSED_ENV_VARS"},
    {.name = "UCX_ZCOPY_THRESH"},
    // Open MPI and PMIx.
    {.name = "OMPI_MCA_btl"},
    {.name = "OMPI_MCA_btl_tcp_if_exclude"},
    {.name = "OMPI_MCA_btl_tcp_if_include"},
    {.name = "OMPI_MCA_coll"},
    {.name = "OMPI_MCA_coll_hcoll_enable"},
    {.name = "OMPI_MCA_mtl"},
    {.name = "OMPI_MCA_oob_tcp_if_exclude"},
    {.name = "OMPI_MCA_oob_tcp_if_include"},
    {.name = "OMPI_MCA_osc"},
    {.name = "OMPI_MCA_plm_rsh_agent"},
    {.name = "OMPI_MCA_pml"},
    {.name = "PMIX_MCA_gds"},
    {.name = "PMIX_MCA_psec"},
    {.name = "PMIX_MCA_ptl"},
    // libfabric, and the plugin that runs NCCL over it.
    {.name = "FI_CXI_ATS"},
    {.name = "FI_CXI_DEFAULT_CQ_SIZE"},
    {.name = "FI_CXI_DISABLE_HOST_REGISTER"},
    {.name = "FI_CXI_RDZV_PROTO"},
    {.name = "FI_CXI_RX_MATCH_MODE"},
    {.name = "FI_EFA_FORK_SAFE"},
    {.name = "FI_EFA_USE_DEVICE_RDMA"},
    {.name = "FI_EFA_USE_HUGE_PAGE"},
    {.name = "FI_HMEM"},
    {.name = "FI_LOG_LEVEL", .kind = Kind::any_case, .choices = "WARN TRACE INFO DEBUG"},
    {.name = "FI_MR_CACHE_MONITOR",
     .kind = Kind::any_case,
     .choices = "MEMHOOKS USERFAULTFD KDREG2 UFFD DISABLED"},
    {.name = "FI_PROVIDER"},
    {.name = "OFI_NCCL_PROTOCOL", .kind = Kind::any_case, .choices = "SENDRECV RDMA"},
});

constexpr std::string_view kNever = "No release of NCCL has read it.";
constexpr std::string_view kOfTorch =
    "It is PyTorch's, and its old name: newer versions warn of it, and NCCL has never read it.";

constexpr auto kUnread = std::to_array<UnreadName>({
    {"NCCL_TIMEOUT", kNever,
     "PyTorch: pass timeout= to init_process_group; InfiniBand: NCCL_IB_TIMEOUT"},
    {"NCCL_TIMEOUT_MS", kNever, "PyTorch: pass timeout= to init_process_group"},
    {"NCCL_TIMEOUT_SEC", kNever, "PyTorch: pass timeout= to init_process_group"},
    {"NCCL_BLOCKING_WAIT", kOfTorch, "set TORCH_NCCL_BLOCKING_WAIT"},
    {"NCCL_ASYNC_ERROR_HANDLING", kOfTorch, "set TORCH_NCCL_ASYNC_ERROR_HANDLING"},
    {"NCCL_DESYNC_DEBUG", kOfTorch, "set TORCH_NCCL_DESYNC_DEBUG"},
    {"NCCL_ENABLE_TIMING", kOfTorch, "set TORCH_NCCL_ENABLE_TIMING"},
    {"NCCL_HEARTBEAT_TIMEOUT_SEC", kNever, "set TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC"},
    {"NCCL_AVOID_RECORD_STREAMS", kNever, "set TORCH_NCCL_AVOID_RECORD_STREAMS"},
    {"NCCL_MIN_CHANNELS", kNever, "set NCCL_MIN_CTAS"},
    {"NCCL_MAX_CHANNELS", kNever, "set NCCL_MAX_CTAS"},
    {"NCCL_NCHANNELS", kNever, "set NCCL_MIN_CTAS and NCCL_MAX_CTAS"},
    {"NCCL_BUFFER_SIZE", kNever, "set NCCL_BUFFSIZE, in bytes"},
    {"NCCL_NET_GDR_ENABLE", kNever, "set NCCL_NET_GDR_LEVEL"},
    {"NCCL_GDR_LEVEL", kNever, "set NCCL_NET_GDR_LEVEL"},
    {"NCCL_GPU_DIRECT", kNever, "set NCCL_NET_GDR_LEVEL"},
    {"NCCL_IB_ENABLE", kNever, "leave it out: InfiniBand is used where it is; NCCL_NET=IB insists"},
    {"NCCL_RDMA_DISABLE", kNever, "set NCCL_IB_DISABLE=1"},
    {"NCCL_P2P_ENABLE", kNever, "leave it out: peer access is used where it is possible"},
    {"NCCL_NVLINK_DISABLE", kNever, "set NCCL_P2P_DISABLE=1"},
    {"NCCL_IB_IFNAME", kNever, "set NCCL_IB_HCA (adapters) or NCCL_SOCKET_IFNAME (interfaces)"},
    {"NCCL_NET_IFNAME", kNever, "set NCCL_SOCKET_IFNAME"},
    {"NCCL_SOCKET_INTERFACE", kNever, "set NCCL_SOCKET_IFNAME"},
    {"NCCL_IB_MTU", kNever, "set the MTU of the port: NCCL takes its active one"},
    {"NCCL_IB_QPS", kNever, "set NCCL_IB_QPS_PER_CONNECTION"},
    {"NCCL_IB_RETRY_COUNT", kNever, "set NCCL_IB_RETRY_CNT"},
    {"NCCL_LOG_LEVEL", kNever, "set NCCL_DEBUG"},
    {"NCCL_DEBUG_LEVEL", kNever, "set NCCL_DEBUG"},
    {"NCCL_SHARP_ENABLE", kNever, "set NCCL_COLLNET_ENABLE=1, and install the plugin for SHARP"},
    {"NCCL_TREE_ENABLE", kNever, "set NCCL_ALGO"},
    {"NCCL_ALGORITHM", kNever, "set NCCL_ALGO"},
    {"NCCL_PROTOCOL", kNever, "set NCCL_PROTO"},
    {"NCCL_TOPOLOGY_FILE", kNever, "set NCCL_TOPO_FILE"},
    {"NCCL_PXN_ENABLE", kNever, "leave it out: NCCL_PXN_DISABLE=0 is the default"},
    {"NCCL_NVLS", kNever, "set NCCL_NVLS_ENABLE"},
    {"NCCL_CHUNKSIZE", kNever, "set NCCL_P2P_NET_CHUNKSIZE for sends and receives"},
    {"NCCL_SOCKET_TIMEOUT", kNever, "set NCCL_SOCKET_RETRY_CNT and NCCL_SOCKET_RETRY_SLEEP_MSEC"},
});

}  // namespace

std::span<const Variable> other_variables() { return kOtherRows; }
std::span<const UnreadName> unread_names() { return kUnread; }

}  // namespace linerate::env
