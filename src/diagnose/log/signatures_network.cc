// InfiniBand, RoCE, libfabric and sockets.
#include "diagnose/log/signatures.h"

#include <array>

namespace linerate::logs {
namespace {

constexpr auto kNetworkRows = std::to_array<Signature>({
    // What ended the job before is past.
    {kBeginsAgain, "esuming from |esumed from |estoring states from |will restart worker group",
     Role::harmless, Lines::others, "", "", ""},
    {kEndsWell, "worker group successfully finished", Role::harmless, Lines::others, "", "", ""},
    {"connect-retries",
     "imed out*ill retry|efused*ill retry|nreachable*ill retry|eset by peer*ill retry",
     Role::suspect, Lines::errors},
    {"ib-port-error", "async*event*port err|async*event*PORT_ERR", Role::origin, Lines::nccl,
     "an InfiniBand port went down while the job ran",
     "look at the cable, the optics, the switch port, ibstat, the port's counter link_downed",
     "NVIDIA/nccl#905"},
    {"ib-async-event",
     "non-fatal async event|unknown event type|async event*client rereg|async event*SM change|"
     "async event*port active|async event*communication established",
     Role::slow, Lines::warnings},
    {"gid-table-changed", "GID table changed", Role::origin, Lines::warnings,
     "a port's addresses changed while the job ran: its interface went down or got another IP",
     "find out what restarts the interface (NetworkManager, DHCP, a flapping link)",
     "NVIDIA/nccl#1819"},
    {"ib-access-violation", "async*local access violation|async*local catastrophic", Role::origin,
     Lines::nccl,
     "the adapter refused an address that it was given: a bad registration, or a broken adapter",
     "set NCCL_NET_GDR_LEVEL=LOC as a test; update the adapter's firmware and driver",
     "NVIDIA/nccl#1905"},
    {"ib-async-event", "async fatal event|async event|async error event", Role::origin,
     Lines::warnings, "the adapter reported an error by itself",
     "look at dmesg, and at the port's counters", "NVIDIA/nccl#905"},
    {"ib-device-failed",
     "NET/IB: Device*marked as failed|NET/IB: Fatal error|NET/IB: The error is fatal", Role::fault,
     Lines::warnings,
     "an adapter failed while the job ran, and NCCL goes on with the others or ends",
     "look at dmesg, the cable and the switch port of the device that the line names",
     "NVIDIA/nccl: src/transport/net_ib/p2p_resiliency.cc"},
    {"ib-local-protection",
     "completion*error 4,|completion*status=4 |completion*status=IBV_WC_LOC_PROT_ERR|"
     "completion*vendor err 81|completion*vendor_err=81",
     Role::fault, Lines::warnings,
     "the adapter could not reach memory that it had registered (status 4, local protection): "
     "GPUDirect RDMA behind ACS or an IOMMU, or a peer-memory module that does not fit",
     "set NCCL_NET_GDR_LEVEL=LOC to confirm; then switch ACS off in the bridges above GPU and "
     "NIC, or load the nvidia_peermem of this driver",
     "NVIDIA/nccl#928"},
    {"ib-local-protection", "_log.c:*ocal protection on", Role::fault, Lines::any},
    {"ib-remote-access",
     "completion*error 9,|completion*error 10,|completion*status=9 |completion*status=10 |"
     "completion*status=IBV_WC_REM_INV_REQ_ERR|completion*status=IBV_WC_REM_ACCESS_ERR",
     Role::vague, Lines::warnings,
     "the peer's memory was gone when data came: mostly the peer had failed before",
     "look for the first failure on the peer that the line names", "NVIDIA/nccl#1710"},
    {"ib-remote-access",
     "_log.c:*emote access on*(synd|_log.c:*emote operation*on*(synd|_log.c:*emote invalid "
     "request*on*(synd",
     Role::vague, Lines::any},
    {"ib-receiver-not-ready",
     "completion*error 13,|completion*status=13 |completion*status=IBV_WC_RNR_RETRY_EXC_ERR",
     Role::vague, Lines::warnings,
     "the peer had posted no receive for too long: it is stuck, or dead",
     "look at the peer that the line names: is it in the same collective?", "NCCL user guide"},
    {"ib-flushed", "completion*error 5,|completion*status=5 |completion*status=IBV_WC_WR_FLUSH_ERR",
     Role::consequence, Lines::warnings,
     "a request was thrown away, because its connection had broken before",
     "look for the earlier error of this connection", "NVIDIA/nccl#1405"},
    {"ib-unreachable",
     "completion*error 12,|completion*status=12 |completion*status=IBV_WC_RETRY_EXC_ERR",
     Role::fault, Lines::warnings,
     "the peer's adapter did not answer, after all retries (status 12). At the start of a job: the "
     "NICs cannot reach each other. After hours: loss, congestion or a link that flaps",
     "at the start: ib_write_bw between these two NICs with the same GID index; unset "
     "NCCL_IB_GID_INDEX or set 3 for RoCE v2; NCCL_CROSS_NIC=0 where rails are not connected. "
     "Later: port counters, PFC and ECN; NCCL_IB_TIMEOUT=22 bridges short outages",
     "NVIDIA/nccl#426, NCCL user guide"},
    {"ib-completion-error", "Got completion*error|Got completion*status|Got CQE with error",
     Role::fault, Lines::warnings,
     "the adapter could not carry out a transfer; the status number says why",
     "ibv_wc_status_str() has the names of the numbers", "NVIDIA/nccl#1405"},
    {"ib-completion-error", "mlx5: *ot completion with error|mlx4: *ot completion with error",
     Role::fault, Lines::any},
    {"locked-memory-limit",
     "ibv_create_qp*annot allocate memory|ibv_create_cq*annot allocate memory|ibv_reg_mr*annot "
     "allocate memory|ibv_create_qp failed*|ibv_create_cq failed*|ibv_reg_dmabuf_mr*annot allocate "
     "memory|Accept failed Cannot allocate memory",
     Role::fault, Lines::warnings,
     "the adapter could not pin memory: the limit of locked memory is too low",
     "ulimit -l unlimited, also for sshd or slurmd; in containers --ulimit memlock=-1",
     "NVIDIA/nccl#1129, NVIDIA/nccl#380"},
    {"locked-memory-limit", "ibv_*annot allocate memory|max locked memory", Role::fault,
     Lines::reports},
    {"locked-memory-limit", "libfabric:*<warn>*annot allocate memory", Role::fault, Lines::any},
    {"cxi-queue-full",
     "Event Queue overflow|event queue overflow|ompletion queue exhaust|CQ overrun|CQ overflow|"
     "cxi*<warn>*dropped|cxi*<warn>*ow control triggered|cxi*<warn>*ow-control "
     "triggered|cxi*<warn>*xhausted|cxi*<warn>*FI_CXI_RX_MATCH_MODE|OFI poll failed*verrun",
     Role::fault, Lines::any,
     "more messages came than the adapter's queue has room for (Slingshot, libfabric's CXI): some "
     "were lost, or the rank waits for ever",
     "FI_CXI_DEFAULT_CQ_SIZE=131072 makes the queue longer; FI_CXI_RX_MATCH_MODE=hybrid (or "
     "software) matches messages in memory; let fewer messages wait for their receives",
     "ofiwg/libfabric#9286"},
    {"slingshot-undeliverable", "OFI*rror - UNDELIVERABLE", Role::origin, Lines::any,
     "Slingshot could not deliver a message: a peer or a link was gone, or the adapter ran out of "
     "space for messages that nobody waits for",
     "look for the first rank that ended; FI_CXI_RX_MATCH_MODE=software matches messages by "
     "software",
     "quokka-astro/quokka#353"},
    {"peer-memory-missing", "ibv_reg_mr*Bad address", Role::fault, Lines::warnings,
     "the adapter could not register GPU memory: nvidia_peermem is missing or of another driver",
     "modprobe nvidia_peermem, or use the open kernel modules; NCCL_NET_GDR_LEVEL=LOC does without",
     "Mellanox/nv_peer_memory#115"},
    {"ib-registration-failed", "ibv_reg_mr*failed", Role::fault, Lines::warnings,
     "memory could not be registered: locked memory is short, or for a GPU nvidia_peermem missing",
     "set ulimit -l unlimited, also for the daemon that starts the ranks; modprobe nvidia_peermem, "
     "or NCCL_NET_GDR_LEVEL=LOC as a test",
     "NVIDIA/nccl#1842"},
    {"peer-memory-missing", "ibv_reg_mr*Bad address", Role::fault, Lines::errors},
    {"ib-registration-failed", "ibv_reg_mr*failed", Role::fault, Lines::errors},
    {"ib-registration-failed",
     "failed to register address*md[*]=mlx|failed to register address*md[*]=ib|failed to register "
     "address*md[*]=roce",
     Role::vague, Lines::errors},
    // Of other memory domains of UCX: CUDA's, shared memory.
    {"ucx-failure", "failed to register address*md[", Role::vague, Lines::errors},
    {"symmetric-space-used-up", "ncclSpaceAlloc*No suitable space", Role::fault, Lines::warnings,
     "the addresses that NCCL keeps for symmetric memory are used up: windows are registered again "
     "and again, or larger than foreseen",
     "register each buffer once; NCCL_WIN_STRIDE widens the space of a rank", "NVIDIA/nccl#2331"},
    {"dmabuf-unsupported", "ibv_reg_dmabuf_mr*not supported", Role::fault, Lines::warnings,
     "the InfiniBand driver is too old to register GPU memory by DMA-BUF",
     "update it, or set NCCL_DMABUF_ENABLE=0", "NVIDIA/nccl#778"},
    {"gid-index",
     "ibv_modify_qp*Invalid argument|ibv_modify_qp*No such device|ibv_modify_qp*No data available|"
     "ibv_modify_qp failed with 61",
     Role::fault, Lines::warnings,
     "the port's address cannot be used: the GID index is empty, or of another kind than its "
     "peer's",
     "unset NCCL_IB_GID_INDEX, or set the index of RoCE v2 with an IPv4 address (show_gids)",
     "NCCL user guide, NVIDIA/nccl#925"},
    {"roce-no-route", "ibv_modify_qp*unreachable|ibv_modify_qp*No route", Role::fault,
     Lines::warnings, "there is no route between the IP addresses of the two RoCE ports",
     "give rails routes to each other, or set NCCL_CROSS_NIC=0; check ip route get on both hosts",
     "NVIDIA/nccl-tests#185"},
    {"rails-not-connected", "ibv_modify_qp*timed out|ibv_modify_qp*110", Role::fault,
     Lines::warnings,
     "a port could not resolve the address of its peer: these rails are not connected",
     "set NCCL_CROSS_NIC=0, or mend ARP and routes between the rails", "NVIDIA/nccl#2013"},
    {"ib-modify-qp", "ibv_modify_qp*failed", Role::fault, Lines::warnings,
     "two ports could not be connected", "ib_write_bw between the two NICs shows the reason",
     "NCCL user guide"},
    {"ib-device-not-open",
     "ibv_open_device*failed|NET/IB : Unable to open device|ould not open*NCCL_IB_HCA", Role::fault,
     Lines::warnings, "this process may not use an adapter that it sees",
     "give the container /dev/infiniband and IPC_LOCK; all ranks need the same NICs",
     "NVIDIA/nccl#451, NVIDIA/nccl#2428"},
    {"ib-mixed-devices", "incompatible devices|incompatible with the local", Role::fault,
     Lines::warnings, "InfiniBand and RoCE ports were mixed in one job",
     "NCCL_IB_HCA names those of one kind", "NVIDIA/nccl: src/transport/net_ib"},
    {"ib-call-failed", "NET/IB : Unable to query|ibv_*failed|ibv_poll_cq() returned", Role::fault,
     Lines::warnings, "a call of the InfiniBand library failed",
     "its error says why, and dmesg may too; where it names a device that is not meant, "
     "NCCL_IB_HCA=<the right one> keeps NCCL from it, UCX_NET_DEVICES=<the right one>:1 UCX",
     "NCCL user guide, openucx/ucx"},
    {"no-socket-interface",
     "no socket interface found|no interface found|No usable listening interface|No interface "
     "found|no device found matching|no device found after excluding",
     Role::fault, Lines::warnings, "no network interface has the name that was asked for",
     "set NCCL_SOCKET_IFNAME to a name that ip -br address shows on every host, or unset it",
     "NCCL user guide, pytorch/pytorch#29482"},
    {"no-socket-interface", "IFNAME=*does not exist|IFNAME*not found on this", Role::suspect,
     Lines::any},
    {"address-family", "is neither AF_INET", Role::fault, Lines::warnings,
     "a socket's family is neither IPv4 nor IPv6, or one that this host lacks: no interface has "
     "the name that was asked for, IPv6 is off, or a rank has another NCCL",
     "check NCCL_SOCKET_IFNAME, NCCL_SOCKET_FAMILY and the NCCL version on all hosts; ip -br "
     "address shows the families of each interface",
     "NVIDIA/nccl#1837, NVIDIA/nccl#210"},
    {"address-family", "family not supported|nsupported address family|nsupported IP family",
     Role::fault, Lines::reports},
    {"virtual-interface",
     "Bootstrap*Using*veth|Bootstrap*Using*docker|Bootstrap*Using*virbr|Bootstrap*Using*br-|"
     "Bootstrap*Using*cni|Bootstrap*Using*flannel|Bootstrap*Using*cali|Bootstrap*Using*podman|"
     "Bootstrap*Using*lxcbr|Bootstrap*Using*lxdbr|NET/Socket : Using*]veth|NET/Socket : "
     "Using*]docker|NET/Socket : Using*]virbr|NET/Socket : Using*]br-|NET/Socket : Using*]cni",
     Role::suspect, Lines::nccl,
     "NCCL's sockets use an interface of containers or virtual machines (the line names it), which "
     "other hosts mostly do not reach",
     "NCCL_SOCKET_IFNAME=^lo,docker,veth,virbr,br-,cni leaves such out; or name the one that "
     "reaches the others: NCCL_SOCKET_IFNAME==eth0",
     "NVIDIA/nccl#529, NVIDIA/nccl#286"},
    {"loopback-interface",
     "Using interface lo:|Bootstrap : Using lo:|Bootstrap : Using [0]lo:|NET/Socket : Using [0]lo:",
     Role::suspect, Lines::nccl,
     "NCCL's sockets use the loopback interface, by which a process reaches only its own host",
     "NCCL_SOCKET_IFNAME=<the interface that reaches the others>; look whether the other "
     "interfaces are up (ip -br address)",
     "NVIDIA/nccl#286"},
    {"ras-port-in-use", "ras/*bind failed", Role::harmless, Lines::warnings,
     "another job has the port of ncclras", "", ""},
    {"address-in-use", "bind*Address already in use", Role::fault, Lines::warnings,
     "a port that NCCL was to listen at is taken: too many communicators were made and not "
     "destroyed, or another job has the port of NCCL_COMM_ID",
     "ss -tanp shows who has it; destroy process groups that are done with", "NVIDIA/nccl#293"},
    {"ofi-without-path",
     "NET/OFI pciPath: |NET/OFI Error opening file: /sys|Could not find ncclGetVersion symbol",
     Role::harmless, Lines::warnings, "", "", ""},
    {"ofi-closed-early", "_close with outstanding requests", Role::harmless, Lines::warnings, "",
     "", ""},
    {"efa-registration", "NET/OFI Could not register memory|NET/OFI Unable to register memory",
     Role::fault, Lines::warnings, "the EFA device could not register memory",
     "ulimit -l unlimited; update driver and plugin; old ones: FI_EFA_SET_CUDA_SYNC_MEMOPS=0",
     "aws/aws-ofi-nccl"},
    {"efa-provider-missing",
     "NET/OFI*find any optimal provider|NET/OFI Only EFA provider is supported|"
     "NET/OFI aws-ofi-nccl initialization failed|NET/OFI*No eligible providers were found|"
     "NET/OFI*Failed to initialize sendrecv protocol|NET/OFI*Failed to initialize rdma protocol",
     Role::fault, Lines::any, "libfabric found no EFA device: NCCL falls back to sockets",
     "install the EFA driver, give the container /dev/infiniband, and check fi_info -p efa",
     "aws/aws-ofi-nccl#67"},
    {"net-plugin-failed", "Failed to initialize any NET plugin|Error: network*not found",
     Role::fault, Lines::nccl, "no network that NCCL_NET allows works here",
     "check NCCL_NET and NCCL_NET_PLUGIN; give the container /dev/infiniband",
     "NVIDIA/nccl: src/plugin/net.cc"},
    {"nic-merge",
     "Local mergedDev*different number of devices|an't merge net devices|Specified fused NIC|"
     "TOPO/NET :|NET/TOPO :|NCCL_IB_MERGE_NICS|ake virtual NIC|irtual device",
     Role::fault, Lines::warnings,
     "NCCL could not join several ports to one network device, or the peer joined others",
     "NCCL_IB_MERGE_NICS=0; unset NCCL_NET_FORCE_MERGE; NCCL_IB_HCA the same on all hosts",
     "NVIDIA/nccl: src/graph/topo.cc"},
    {"efa-failure", "libfabric:*:efa:cq:*<warn> err: ", Role::vague, Lines::any,
     "the EFA device could not carry out a transfer: mostly the peer that it names was gone",
     "look for the first failure on that peer", "aws/aws-ofi-nccl#346"},
    {"ucx-unreachable",
     "_log.c:*port retry count exceeded|UCX *ransport retry count exceeded|UCX *retry counter "
     "exceeded|UCX *Endpoint timeout|UCX *ibv_create_ah*timed out",
     Role::fault, Lines::any,
     "UCX, which MPI uses, could not reach a peer's adapter, after all retries",
     "ib_write_bw between the two hosts; name the right ports by UCX_NET_DEVICES=mlx5_0:1; look at "
     "port counters; UCX_TLS=tcp does without",
     "openucx/ucx#1920"},
    {"network-kinds-differ", "FinalizeAccept: wrong type", Role::fault, Lines::warnings,
     "ranks talk to each other by different networks (3: sockets, 4: InfiniBand), so they do not "
     "have the same plugin, adapters or NCCL_* variables",
     "make NCCL_NET, NCCL_IB_DISABLE, NCCL_NET_PLUGIN and the libraries the same on all hosts",
     "NVIDIA/nccl-tests#188"},
    {"mixed-devices-per-rank",
     "mixed local Net device counts|mixed local CollNet device counts|extra devices of other ranks",
     Role::fault, Lines::warnings, "ranks see different numbers of NICs",
     "give all containers the same devices; NCCL_IB_HCA the same everywhere", "NVIDIA/nccl#2428"},
    {"truncated-message",
     "essage truncated|ismatched collective|receiving*bytes instead of|received*bytes instead of|"
     "ollective mismatch|mismatch in info from procs|mismatch in rank count|registration check "
     "failed|Elastic GIN: rank|posted incorrect receive info",
     Role::fault, Lines::warnings,
     "two ranks disagree about what they exchange: other calls, counts, versions or settings",
     "make NCCL and NCCL_* the same on all hosts; TORCH_DISTRIBUTED_DEBUG=DETAIL compares calls",
     "NVIDIA/nccl#969, NVIDIA/nccl#1328"},
    {"peer-closed",
     "onnection closed by remote peer|onnection reset by peer|Broken pipe|remote process has "
     "terminated|remote process exited|Net*: peer*closed",
     Role::consequence, Lines::nccl, "another rank ended, and its connections with it",
     "look for the first failure on the other ranks, and for one whose log just stops",
     "NCCL user guide"},
    {"rank-twice", "has already checked in", Role::fault, Lines::warnings,
     "two processes said that they are the same rank",
     "give each its own rank: launcher and program must agree on the number of tasks a node",
     "Lightning-AI/pytorch-lightning#14986"},
    {"rank-twice", "GLOBAL_RANK: *, MEMBER: ", Role::suspect, Lines::others},
    {"ib-library-missing", "Failed to open libibverbs|Failed to open libmlx5", Role::harmless,
     Lines::nccl, "", "", "", "net-plugin-failed"},
    {"ib-no-device", "NET/IB : No device found", Role::harmless, Lines::nccl, "no InfiniBand here",
     "", "", "net-plugin-failed"},
    {"net-plugin-missing", "NET/Plugin*No plugin found|NET/Plugin*ould not find|NET/Plugin*dlerror",
     Role::harmless, Lines::nccl, "", "", "", "net-plugin-failed"},
});

}  // namespace

std::span<const Signature> network_signatures() { return kNetworkRows; }

}  // namespace linerate::logs
