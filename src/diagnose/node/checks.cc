#include "diagnose/node/checks.h"

#include <array>

namespace linerate::node {
namespace {

using enum Severity;

constexpr std::string_view kNoRdma = "no InfiniBand or RoCE device (/sys/class/infiniband)";
constexpr std::string_view kNoActiveRdma = "no active InfiniBand or RoCE port";
constexpr std::string_view kNoActiveRoce = "no active RoCE port";
constexpr std::string_view kNoJobDevices =
    "neither a GPU for computing nor an InfiniBand or RoCE device";
constexpr std::string_view kNoPeers =
    "fewer than two GPUs and RDMA devices, or not known to be outside of virtual machines";
constexpr std::string_view kNoNvidia = "no GPU of NVIDIA's for computing";
constexpr std::string_view kNoBond = "no bonded interface";
constexpr std::string_view kNoSeveralNvidia = "fewer than two GPUs in what nvidia-smi tells";
constexpr std::string_view kNotSet =
    "no GPU or RDMA device, or processors that Linux does not steer, as in virtual machines";
constexpr std::string_view kNoNuma = "no GPU or RDMA device, or one NUMA node";

constexpr auto kChecks = std::to_array<Check>({
    // Memory, limits, processors and the operating system.
    {"shm-size", problem, "the size of /dev/shm", nullptr, "", "size /dev/shm",
     "Ranks of a node exchange data there; NCCL fails with 'No space left on device'.",
     "docker run --shm-size=8g, in Kubernetes an emptyDir of medium Memory, else mount -o "
     "remount,size=8G /dev/shm",
     looks::shm_size,
     "if it is below shm_bytes and a quarter of the memory; as a problem if below "
     "shm_least_bytes",
     "size /dev/shm=67108864"},
    {"shm-full", warning, "the free space of /dev/shm", nullptr, "", "free /dev/shm",
     "Jobs that were killed leave segments behind, and the next one finds no space.",
     "ls -la /dev/shm; remove what no running job owns", looks::shm_full,
     "if less than a tenth is free, and less than shm_least_bytes",
     "size /dev/shm=68719476736|free /dev/shm=4194304"},
    {"open-files", warning, "the limit of open files", needs::job_devices, kNoJobDevices,
     "/proc/self/limits", "A rank opens several sockets for each peer; large jobs run out.",
     "ulimit -Hn 1048576, or LimitNOFILE= of the service that starts jobs", looks::open_files,
     "if the hard limit is below open_files: NCCL raises its own limit up to there",
     "/proc/self/limits=Max open files 1024 4096 files"},
    {"stack-unlimited", info, "the limit of the stack", needs::job_devices, kNoJobDevices,
     "/proc/self/limits", "NCCL before 2.28 may crash in its first kernel with that.",
     "ulimit -s 8192", looks::stack_limit, "if the limit is unlimited",
     "/proc/self/limits=Max stack size unlimited unlimited bytes"},
    {"cpu-quota", info, "processor time that a control group allows", needs::cpu_quota,
     "no control group limits processor time", "cgroup cpu.max",
     "Ranks that wait spin: when the quota is used up all of them stop until its next period.",
     "give as many processors as threads run: docker run --cpus=N, in Kubernetes limits.cpu",
     looks::cpu_quota, "if the quota is less than the processors that the process may use",
     "cgroup cpu.max=8"},
    {"slow-clock", warning, "the clock source", nullptr, "",
     "/sys/devices/system/clocksource/clocksource0/current_clocksource",
     "Reading it takes about a microsecond instead of 20 ns, which short calls feel.",
     "grep -i tsc in the kernel's log for why it was given up; boot with tsc=reliable where the "
     "vendor says that it is",
     looks::clock_source, "if it is hpet, acpi_pm or jiffies",
     "/sys/devices/system/clocksource/clocksource0/current_clocksource=hpet"},
    {"cpu-governor", warning, "the frequency governor of the processors", needs::set_frequencies,
     kNotSet, "/sys/devices/system/cpu/*/cpufreq/scaling_governor",
     "Processors that slow down between calls add microseconds to each.",
     "cpupower frequency-set -g performance", looks::governor, "if it is not performance",
     "/sys/devices/system/cpu/*/cpufreq/scaling_governor=powersave"},
    {"idle-states", info, "the idle states of the processors", needs::idle_states, kNotSet,
     "/sys/devices/system/cpu/cpu0/cpuidle/*/latency",
     "A thread that sleeps between calls wakes up that much later.",
     "cpupower idle-set -D 10 while latency matters", looks::idle_states,
     "if waking from the deepest state that is allowed takes more than idle_latency_us",
     "/sys/devices/system/cpu/cpu0/cpuidle/state3/latency=290"},
    {"numa-balancing", warning, "automatic NUMA balancing", needs::several_numa_nodes, kNoNuma,
     "/proc/sys/kernel/numa_balancing",
     "The kernel unmaps pages to see who uses them, and moves them: calls become uneven.",
     "sysctl kernel.numa_balancing=0", looks::numa_balancing, "if it is on",
     "/proc/sys/kernel/numa_balancing=1"},
    {"swap-used", warning, "memory that is swapped out", needs::job_devices, kNoJobDevices,
     "/proc/meminfo", "A rank that waits for the disk holds up all others.",
     "free -h; find what takes the memory, or swapoff -a", looks::swap_used,
     "if more than swap_bytes are swapped out",
     "/proc/meminfo=SwapTotal: 8388608 kB\nSwapFree: 4194304 kB"},
    {"low-memory", warning, "memory that is left", needs::job_devices, kNoJobDevices,
     "/proc/meminfo", "When it ends the kernel kills processes, and all other ranks wait.",
     "ps aux --sort -rss | head; end what no job needs, also segments in /dev/shm",
     looks::low_memory, "if less than memory_bytes and less than 5 % of the memory are available",
     "/proc/meminfo=MemTotal: 1056784000 kB\nMemAvailable: 2097152 kB"},
    {"memory-limit", warning, "the memory that a control group allows", needs::memory_limit,
     "no control group limits the memory", "cgroup memory.stat",
     "The kernel kills a process of the group when it needs more; files in /dev/shm count.",
     "docker run --memory=SIZE, in Kubernetes limits.memory, in Slurm --mem", looks::memory_limit,
     "if it holds more than 90 % without the cache of files, or the kernel has killed a process of "
     "it",
     "cgroup memory.max=8589934592|cgroup memory.stat=8160437862"},
    {"remove-ipc", info, "whether systemd removes files in /dev/shm", needs::systemd_of_job,
     "no GPU for computing or RDMA device, or a system without systemd", "logind RemoveIPC",
     "When a user logs out whose job goes on, its segments are removed: new communicators fail "
     "with 'No such file or directory'.",
     "RemoveIPC=no in /etc/systemd/logind.conf, and systemctl restart systemd-logind; or "
     "loginctl enable-linger USER",
     looks::remove_ipc, "if RemoveIPC is on, which systemd takes where nothing is said",
     "logind RemoveIPC=yes"},
    {"numa-calls", info, "whether the process may choose the NUMA node of memory", needs::nvidia,
     kNoNvidia, "call get_mempolicy",
     "NCCL 2.23 and newer shares memory between the ranks of a node by cuMem, which asks for a "
     "NUMA "
     "node: it falls back to /dev/shm, or fails.",
     "docker run --cap-add SYS_NICE, in Kubernetes securityContext.capabilities.add; or "
     "NCCL_CUMEM_HOST_ENABLE=0",
     looks::numa_calls, "if get_mempolicy is refused, as Docker does without CAP_SYS_NICE",
     "call get_mempolicy=refused"},
    {"huge-pages", info, "huge pages for EFA", needs::efa, "no EFA device", "/proc/meminfo",
     "libfabric then takes small pages for its buffers, and more time to register them.",
     "sysctl vm.nr_hugepages=5128, as the EFA installer does at the start; in Kubernetes "
     "limits.hugepages-2Mi",
     looks::huge_pages, "if there are none",
     "/sys/bus/pci/devices/0000:50:00.0/vendor=0x1d0f|/proc/meminfo=HugePages_Total: 0"},
    {"far-processors", warning, "processors of this process and its devices",
     needs::several_numa_nodes, kNoNuma, "/proc/self/status",
     "All its data crosses the link between the sockets.",
     "bind the job to the processors of its devices: linerate topo place shows which",
     looks::far_cpus,
     "if the process may use none of the processors that are near a GPU or RDMA device",
     "/sys/bus/pci/devices/0000:18:00.0/local_cpulist=64-95"},
    {"socket-buffers", info, "buffers of TCP", needs::ethernet_only,
     "no GPU for computing, or RDMA, which does not use them", "/proc/sys/net/ipv4/tcp_*mem",
     "One connection over a fast interface then waits for acknowledgements.",
     "sysctl net.ipv4.tcp_rmem='4096 131072 67108864' net.ipv4.tcp_wmem='4096 65536 67108864'",
     looks::socket_buffers,
     "if they grow to less than socket_buffer_bytes, and an interface has 25 Gb/s or more",
     "/sys/class/infiniband/mlx5_0/ports/1/state=1: "
     "DOWN|/sys/class/net/ens0/speed=100000|/proc/sys/net/ipv4/tcp_rmem=4096 131072 6291456"},
    {"half-duplex", warning, "the duplex of interfaces", nullptr, "", "/sys/class/net/*/duplex",
     "One side at a time may send: what both sides negotiated went wrong.",
     "ethtool -s INTERFACE autoneg on, on the switch's port too; else change the cable",
     looks::half_duplex, "if an interface is half-duplex", "/sys/class/net/ens0/duplex=half"},
    {"bond-hash", warning, "how bonded interfaces choose a leg", needs::bond, kNoBond,
     "/sys/class/net/*/bonding/xmit_hash_policy",
     "Two hosts then exchange everything over one leg, at its speed.",
     "ip link set BOND type bond xmit_hash_policy layer3+4, and the like on the switch",
     looks::bond_hash,
     "if a bond of two legs or more chooses by layer2 or layer2+3, and has RDMA devices, or no "
     "InfiniBand or RoCE port is active",
     "/sys/class/net/bond0/bonding/mode=802.3ad 4|/sys/class/net/bond0/bonding/slaves=ens0 "
     "ens1|/sys/class/net/bond0/bonding/xmit_hash_policy=layer2 "
     "0|/sys/class/infiniband/mlx5_0/device/net/ens0/mtu=9000"},
    {"bond-leg", warning, "legs of bonded interfaces", needs::bond, kNoBond,
     "/sys/class/net/*/bonding_slave/mii_status", "What is left carries all, at its speed.",
     "cat /proc/net/bonding/BOND; look at the cable, and at the port of the switch",
     looks::bond_leg, "if a leg is not up",
     "/sys/class/net/bond0/bonding/mode=802.3ad 4|/sys/class/net/bond0/bonding/slaves=ens0 "
     "ens1|/sys/class/net/ens1/bonding_slave/mii_status=down"},
    {"interface-errors", warning, "errors of interfaces", nullptr, "",
     "/sys/class/net/*/statistics/rx_packets",
     "TCP sends lost packets again and slows down; RoCE starts over at the lost packet.",
     "CRC errors: change the cable or its plugs; missed and fifo errors: ethtool -G INTERFACE rx "
     "4096, and spread its interrupts over processors",
     looks::interface_errors,
     "if more than interface_errors, and more than interface_error_share of the packets, were "
     "lost",
     "/sys/class/net/ens0/statistics/rx_packets=12000000|/sys/class/net/ens0/statistics/"
     "rx_crc_errors=40000"},
    {"stray-interfaces", warning, "virtual interfaces that NCCL would take", needs::job_devices,
     kNoJobDevices, "address *",
     "NCCL tries them too, and other nodes do not reach them: jobs hang or end with 'connection "
     "timed out'.",
     "NCCL_SOCKET_IFNAME and GLOO_SOCKET_IFNAME name the right one: NCCL_SOCKET_IFNAME==eth0",
     looks::stray_interfaces,
     "if a virtual interface with an IPv4 address is up beside another one, and none begins with "
     "ib: virbr, br-, veth, cni, flannel, cali, tun and the like",
     "address ens0=IPv4|address virbr0=IPv4"},
    {"firewall", warning, "the firewall's rule for incoming connections", needs::job_devices,
     kNoJobDevices, "nft input", "A job on several nodes then waits for connections until it ends.",
     "nft insert rule inet filter input ip saddr NETWORK accept, on all nodes of the job",
     looks::firewall,
     "if the policy or the last rule of a chain of incoming packets drops or rejects",
     "nft input=drop|/proc/sys/net/ipv4/ip_local_port_range=32768 60999"},
    {"shaped-interface", warning, "limits of the traffic of interfaces", nullptr, "", "tc",
     "Sockets get no more than that, or lose packets.",
     "tc qdisc del dev INTERFACE root, where nobody needs it", looks::shaping,
     "if an interface has a queue that holds back: as a warning netem and tbf, as a note htb, hfsc "
     "and cake",
     "tc ens0=qdisc tbf 8001: dev ens0 root refcnt 2 rate 1Gbit burst 32Kb lat 50ms"},
    {"tcp-losses", warning, "segments that TCP sent again", nullptr, "", "/proc/net/snmp",
     "Each loss costs a connection milliseconds.",
     "nstat -az TcpRetransSegs before and after a job; if it grows: ip -s link, look at cables, "
     "MTU and switches",
     looks::tcp_losses,
     "if tcp_loss_percent of the segments were sent again, of 100000 or more; as a note where "
     "there is no GPU for computing and no RDMA device",
     "/proc/net/snmp=1200000 31000"},
    {"killed-for-memory", warning, "processes that were killed for lack of memory", nullptr, "",
     "kernel log", "A rank that is killed makes all others wait.",
     "dmesg | grep -i 'out of memory'; give the job more memory, or fewer workers to its loaders",
     looks::killed_for_memory,
     "if the kernel killed a process in the last 24 hours; as a note where there is no GPU for "
     "computing and no RDMA device",
     "kernel oom=2.0"},
    {"hostname-address", info, "the address of the hostname", needs::own_address_in_job,
     "no GPU for computing or RDMA device, or /etc/hosts does not name this host", "",
     "Where several hosts take part, gloo and what else asks for its own address listen there, and "
     "others are refused.",
     "give the hostname the address of its network in /etc/hosts; or GLOO_SOCKET_IFNAME=INTERFACE, "
     "and MASTER_ADDR an address instead of a name",
     looks::hostname_address,
     "if /etc/hosts gives it 127.0.0.1, 127.0.1.1 or ::1; as a warning where there is an active "
     "InfiniBand or RoCE port",
     "hosts own name=loopback"},
    {"hostname", info, "the hostname", nullptr, "", "",
     "NCCL takes nodes of one name for one where their boot ids are the same too.",
     "hostnamectl set-hostname NAME, or NCCL_HOSTID", looks::hostname,
     "if it begins with localhost", "/proc/sys/kernel/hostname=localhost"},
    // InfiniBand and RoCE.
    {"memlock", problem, "the limit of locked memory", needs::rdma, kNoRdma, "/proc/self/limits",
     "RDMA locks its buffers: beyond the limit ibv_reg_mr fails with 'Cannot allocate memory'.",
     "ulimit -l unlimited, also for the service that starts jobs (LimitMEMLOCK=infinity); docker "
     "run --ulimit memlock=-1",
     looks::memlock,
     "if there is a limit and the process has no CAP_IPC_LOCK; as a problem if it is "
     "below memlock_least_bytes and there is a GPU for computing, else as a warning",
     "/proc/self/limits=Max locked memory 65536 65536 bytes"},
    {"verbs-access", problem, "access to /dev/infiniband", needs::rdma, kNoRdma, "",
     "NCCL then uses sockets, at a fraction of the speed, and some ranks may hang.",
     "modprobe ib_uverbs; docker run --device=/dev/infiniband", looks::verbs_access,
     "if the process may not read and write a /dev/infiniband/uverbs*; as a warning if "
     "there is none",
     "access /dev/infiniband/uverbs0=denied"},
    {"adapter-without-driver", warning, "InfiniBand adapters that are no RDMA device", nullptr, "",
     "/sys/bus/pci/devices/*/class", "NCCL does not see the adapter.",
     "modprobe mlx5_ib; look for mlx5 in the kernel's log", looks::verbs_missing,
     "if a PCI device of the class of InfiniBand adapters has no infiniband folder",
     "/sys/bus/pci/devices/0000:70:00.0/class=0x020700"},
    {"subnet-manager", problem, "linked InfiniBand ports that are not active", needs::rdma, kNoRdma,
     "", "No subnet manager has set the port up: it carries nothing.",
     "sminfo; start a subnet manager on the fabric (opensm, or that of a switch)", looks::port_init,
     "if the link of an InfiniBand port is up, and its state is not ACTIVE",
     "/sys/class/infiniband/mlx5_0/ports/1/state=2: INIT"},
    {"mixed-links", info, "ports of InfiniBand and Ethernet together", needs::active_rdma,
     kNoActiveRdma, "", "NCCL may use both in one job, as fast as the slower.",
     "NCCL_IB_HCA names those that jobs shall use", looks::mixed_links,
     "if there are active ports of both",
     "/sys/class/infiniband/mlx5_1/ports/1/state=4: "
     "ACTIVE|/sys/class/infiniband/mlx5_1/ports/1/link_layer=Ethernet"},
    {"roce-mtu", warning, "the MTU of RoCE interfaces", needs::active_rdma, kNoActiveRdma, "",
     "RoCE then sends at most 1024 or 2048 bytes in a packet instead of 4096.",
     "ip link set dev INTERFACE mtu 9000, on all nodes and switches", looks::roce_mtu,
     "if the MTU of an interface with an active RoCE port is below roce_mtu",
     "/sys/class/infiniband/mlx5_0/ports/1/link_layer=Ethernet|/sys/class/infiniband/mlx5_0/device/"
     "net/ens0/mtu=1500"},
    {"roce-address", problem, "addresses of RoCE v2", needs::active_rdma, kNoActiveRdma, "",
     "Other nodes do not reach it: connections end with status 12 or an invalid argument.",
     "ip addr add ADDRESS dev INTERFACE; or leave the port out: NCCL_IB_HCA=^DEVICE",
     looks::roce_gid,
     "if an active RoCE port has no RoCE v2 address but link-local ones; as a warning where "
     "another port can be used, or there is no GPU for computing",
     "/sys/class/infiniband/mlx5_0/ports/1/link_layer=Ethernet|gid "
     "/sys/class/infiniband/mlx5_0/ports/1/gids/0=RoCE v2 link-local"},
    {"port-counters", info, "error counters of ports", needs::active_rdma, kNoActiveRdma,
     "/sys/class/infiniband/*/ports/*/counters/*",
     "What grows during a job costs speed; what is old does not matter.",
     "look again after a job; if they grow, look at the cable, and with RoCE at PFC and ECN",
     looks::port_counters, "if a counter of an active port is not zero",
     "/sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error=12"},
    {"congestion", info, "congestion of RoCE ports", needs::active_roce, kNoActiveRoce,
     "/sys/class/infiniband/*/ports/*/hw_counters/*",
     "Switches mark packets where several senders meet; what grows during a job costs speed.",
     "look again after a job; spread its traffic over rails, and look at the switch's ECN; "
     "mlnx_qos "
     "-i INTERFACE shows priorities; cma_roce_tos and NCCL_IB_TC choose one",
     looks::congestion,
     "if a port has sent or got notifications of congestion, or does not listen to them",
     "/sys/class/infiniband/mlx5_0/ports/1/link_layer=Ethernet|/sys/class/infiniband/mlx5_0/ports/"
     "1/hw_counters/np_cnp_sent=70"},
    {"pause-frames", info, "pauses (PFC) and lost packets of RoCE interfaces", needs::active_roce,
     kNoActiveRoce, "ethtool *", "What is paused waits; what is lost is sent again, much later.",
     "look again after a job; if pauses grow, look for the receiver that is too slow; if packets "
     "are lost, PFC is not on for this priority here or at the switch (mlnx_qos -i INTERFACE)",
     looks::pause_frames,
     "if a counter of pauses is not zero; as a warning if one of drops or pause storms is not",
     "/sys/class/infiniband/mlx5_0/ports/1/link_layer=Ethernet|ethtool ens0=asked|ethtool ens0 "
     "rx_prio3_pause=5120"},
    {"link-quality", warning, "wrong bits on the links of adapters", needs::active_rdma,
     kNoActiveRdma, "mlxlink *", "Packets are then sent again, and the link may go down.",
     "clean or change the cable or its optics; mlxlink -d DEVICE -m -c shows both ends",
     looks::link_quality,
     "if the effective share of wrong bits is above bit_errors, or the raw one above "
     "raw_bit_errors; as a problem above bit_errors_lost",
     "mlxlink mlx5_0 effective_ber=2E-11"},
    {"link-flaps", info, "interfaces of RDMA devices that came and went", needs::rdma, kNoRdma,
     "/sys/class/infiniband/*/device/net/*/carrier_changes",
     "A link that is lost during a job ends it with status 12.",
     "look for 'Link down' in the kernel's log, and change the cable or its plugs",
     looks::link_flaps,
     "if the link of an interface went up or down more than carrier_changes times",
     "/sys/class/infiniband/mlx5_0/device/net/ens0/carrier_changes=40"},
    {"reverse-path", warning, "reverse-path filters of RoCE interfaces", needs::active_rdma,
     kNoActiveRdma, "/proc/sys/net/ipv4/conf/*/rp_filter",
     "With several interfaces, IP packets that come in by another one than they would go out by "
     "are "
     "dropped.",
     "sysctl net.ipv4.conf.all.rp_filter=2, which counts for each interface", looks::rp_filter,
     "if rp_filter is 1 for one of several interfaces with active RoCE ports",
     "/sys/class/infiniband/mlx5_0/ports/1/link_layer=Ethernet|/sys/class/infiniband/mlx5_0/device/"
     "net/ens0/mtu=9000|/sys/class/infiniband/mlx5_0/device/net/ens1/mtu=9000|/proc/sys/net/ipv4/"
     "conf/all/rp_filter=1"},
    {"same-network", warning, "IP networks of RoCE interfaces", needs::active_rdma, kNoActiveRdma,
     "network *",
     "Linux then answers for one address by the other interface: packets go to the wrong port.",
     "give each interface a network of its own; or sysctl net.ipv4.conf.all.arp_ignore=1 "
     "net.ipv4.conf.all.arp_announce=2, and a routing table for each address",
     looks::same_network,
     "if several interfaces with active RoCE ports are in one network, and arp_ignore is 0",
     "/sys/class/infiniband/mlx5_0/ports/1/link_layer=Ethernet|/sys/class/infiniband/mlx5_0/device/"
     "net/ens0/mtu=9000|/sys/class/infiniband/mlx5_0/device/net/ens1/mtu=9000|network "
     "ens0=1|network ens1=1"},
    {"partition-key", warning, "partition keys of InfiniBand ports", needs::active_rdma,
     kNoActiveRdma, "/sys/class/infiniband/*/ports/*/pkeys/*",
     "Limited members of a partition do not reach each other, and NCCL takes the key at index 0.",
     "NCCL_IB_PKEY=INDEX where another is a full one; else have the subnet manager make the port a "
     "full member (partitions.conf of opensm)",
     looks::partition_key,
     "if the key at index 0 of an active InfiniBand port is none of a full member; as a problem "
     "where none is, and there is a GPU for computing",
     "/sys/class/infiniband/mlx5_0/ports/1/pkeys/0=0x7fff|/sys/class/infiniband/mlx5_0/ports/1/"
     "pkeys/1=0x800b"},
    // PCI.
    {"acs", warning, "access control of PCI switches", needs::bare_metal_peers, kNoPeers,
     "pcie /sys/bus/pci/devices/*",
     "GPUs and NICs below one switch then exchange data through the processor, slower or not at "
     "all.",
     "switch ACS off in the firmware, or setpci -s PORT ECAP_ACS+0x6.w=0000", looks::acs,
     "if the access control of a downward port of a PCI switch redirects requests, "
     "completions or upstream traffic",
     "pcie /sys/bus/pci/devices/0000:10:00.0=acs=0x1d port=6 read_request=128"},
    {"iommu", warning, "translation by the IOMMU", needs::bare_metal_peers, kNoPeers,
     "/sys/bus/pci/devices/*/iommu_group/type",
     "Data between GPUs and NICs goes through the IOMMU, which slows it down or breaks it.",
     "boot with iommu=pt, on Arm with iommu.passthrough=1", looks::iommu,
     "if the IOMMU group of a GPU or RDMA device is of type DMA",
     "/sys/bus/pci/devices/0000:18:00.0/iommu_group/type=DMA-FQ"},
    {"small-bar", info, "regions of GPUs", needs::job_devices, kNoJobDevices,
     "/sys/bus/pci/devices/*/resource",
     "NICs and other GPUs reach only that much of its memory at a time.",
     "switch on 'Above 4G decoding' and 'Resizable BAR' in the firmware, where the GPU has it",
     looks::small_bar, "if the largest region of a GPU has bar_bytes or less",
     "/sys/bus/pci/devices/0000:18:00.0/resource=268435456"},
    {"read-request", warning, "the read requests of NICs", needs::rdma, kNoRdma,
     "pcie /sys/bus/pci/devices/*", "The NIC then does not reach its speed when it sends.",
     "set MaxReadReq to 4096 in the firmware, or by setpci -s NIC CAP_EXP+8.w=5000:7000",
     looks::read_request, "if an RDMA device reads less than read_request_bytes at a time",
     "pcie /sys/bus/pci/devices/0000:50:00.0=acs=0x0 port=0 read_request=128"},
    {"relaxed-ordering", warning, "relaxed ordering of NICs", needs::rdma, kNoRdma,
     "pcie /sys/bus/pci/devices/*",
     "What the NIC writes then waits for what it wrote before, mostly on AMD's processors.",
     "switch it on in the firmware, or by setpci -s NIC CAP_EXP+8.w=0010:0010",
     looks::relaxed_ordering, "if it is off for an RDMA device",
     "pcie /sys/bus/pci/devices/0000:50:00.0=acs=0x0 port=0 read_request=4096 relaxed=0"},
    {"pci-errors", warning, "PCIe errors of GPUs and NICs", needs::pci_error_counts,
     "no GPU for computing or RDMA device, or Linux counts no PCIe errors of them",
     "/sys/bus/pci/devices/*/aer_dev_fatal", "Corrected ones are sent again and cost time.",
     "look for AER in the kernel's log; reseat the card or its riser", looks::pci_errors,
     "as a warning if a GPU or RDMA device has fatal errors; as a note if it has other "
     "uncorrected ones, or more corrected ones than correctable_errors",
     "/sys/bus/pci/devices/0000:18:00.0/aer_dev_fatal=2"},
    {"nvidia-access", problem, "NVIDIA's driver and its files in /dev", needs::nvidia, kNoNvidia,
     "", "Programs then see no GPU.", "nvidia-smi as root; in a container docker run --gpus all",
     looks::nvidia_devices,
     "if the process may not read and write /dev/nvidiactl or /dev/nvidia-uvm; as a "
     "warning if the driver is not loaded, as a note if a file is not there",
     "access /dev/nvidiactl=denied"},
    {"driver-hangs", problem, "whether NVIDIA's driver answers", needs::nvidia, kNoNvidia, "",
     "A GPU that is lost keeps every program waiting that asks for it.",
     "dmesg | grep -e Xid -e 'blocked for more'; restart the node", looks::driver_hangs,
     "if it has not told the topology within 30 s, or nvidia-smi has not ended within 20 s",
     "topology=took more than 30 s"},
    {"peer-memory", warning, "the kernel's module for GPUDirect RDMA", needs::gpudirect,
     "no GPU of NVIDIA's for computing, or no active InfiniBand or RoCE port", "/proc/modules",
     "Data between nodes then goes through the host's memory.", "modprobe nvidia-peermem",
     looks::peer_memory,
     "if neither nvidia_peermem nor nv_peer_mem is loaded, and the driver is not the open one on "
     "Linux 5.12 or newer, which needs none",
     "/proc/modules=mlx5_core nvidia"},
    {"gpu-xid", problem, "errors of GPUs in the kernel's log", needs::nvidia, kNoNvidia,
     "kernel log", "Of some the GPU or its links do not recover by themselves.",
     "see the number in NVIDIA's 'Xid Errors'; nvidia-smi --gpu-reset -i GPU with no job on it, or "
     "restart the node",
     looks::gpu_xid,
     "if an error of the GPU itself is not older than 24 hours; as a note older ones, and those "
     "that programs cause",
     "kernel xid 0000:18:00.0 79=0.5"},
    {"gpu-memory", problem, "memory errors of GPUs", needs::nvidia, kNoNvidia, "nvidia-smi *",
     "Jobs on it fail, or will; rows that wait for their replacement get it with a reset.",
     "nvidia-smi --gpu-reset -i GPU with no job on it; if it stays, replace the GPU",
     looks::gpu_memory,
     "if there are uncorrected errors since the driver was loaded, or a repair or the replacement "
     "of rows waits, failed or used up its 512 rows; as a warning uncorrected errors of SRAM from "
     "before, more than 10000 corrected ones of SRAM or 20 million of DRAM",
     "nvidia-smi 0000:18:00.0 remapped_rows.remapped_row_pending=Yes"},
    {"gpu-recovery", problem, "what the driver asks to do with GPUs", needs::nvidia, kNoNvidia,
     "nvidia-smi *", "It has seen an error after which the GPU or its NVLinks cannot be trusted.",
     "end the jobs on it; Reset: nvidia-smi --gpu-reset -i GPU; Reboot: restart the node; Drain "
     "P2P: end the jobs on the GPUs that it is linked to, then reset",
     looks::gpu_recovery, "if gpu_recovery_action is not None",
     "nvidia-smi 0000:18:00.0 gpu_recovery_action=Drain and Reset"},
    {"gpu-throttled", warning, "GPUs whose clocks are lowered", needs::nvidia, kNoNvidia,
     "nvidia-smi *", "The slowest GPU sets the pace of a job.",
     "nvidia-smi -q -d PERFORMANCE,TEMPERATURE,POWER; look at fans, air and power supplies",
     looks::gpu_throttled,
     "if it is for heat or the power supply; as a note if they were for slowed_s or longer since "
     "the driver was loaded",
     "nvidia-smi 0000:18:00.0 "
     "clocks_event_reasons.clocks_event_reason_hw_thermal_slowdown=Active"},
    {"gpu-settings", warning, "modes and limits of GPUs", needs::nvidia, kNoNvidia, "nvidia-smi *",
     "It may be meant: jobs on several GPUs do not expect it.",
     "nvidia-smi -pm 1; nvidia-smi -mig 0; nvidia-smi -c DEFAULT; nvidia-smi -e 1; nvidia-smi -pl "
     "WATTS; nvidia-smi -rac",
     looks::gpu_settings,
     "if the power limit or the clock of applications is below the usual one; as a note if "
     "persistence is off, MIG is on, the compute mode allows one process or none, or errors of the "
     "memory are not corrected",
     "nvidia-smi 0000:18:00.0 applications_clocks.graphics_clock=1410 MHz|nvidia-smi 0000:18:00.0 "
     "default_applications_clocks.graphics_clock=1980 MHz"},
    {"gpu-vbios", warning, "the firmware of GPUs of one model", needs::several_nvidia,
     kNoSeveralNvidia, "nvidia-smi *",
     "Clocks, power and NVLinks may differ with it, and the slowest GPU sets the pace of a job.",
     "update all to the version of the system's maker (nvidia-smi -q | grep VBIOS)",
     looks::gpu_vbios, "if their VBIOS has not the same version",
     "nvidia-smi 0000:18:00.0 vbios_version=96.00.89.00.01|nvidia-smi 0000:18:00.0 "
     "processes=0|nvidia-smi 0000:2a:00.0 vbios_version=96.00.74.00.01|nvidia-smi 0000:2a:00.0 "
     "processes=0"},
    {"gpu-pcie", warning, "PCIe links of GPUs at work", needs::nvidia, kNoNvidia, "nvidia-smi *",
     "Copies to the host, and to NICs below the same switch, are that much slower.",
     "reseat the GPU or its riser, and look at the slot's setting in the firmware; in a virtual "
     "machine ask the provider",
     looks::gpu_link,
     "if a GPU in performance state P0 has a link of a lower generation than it and its slot can, "
     "or fewer lanes; as a note if more than correctable_errors packets were sent again",
     "nvidia-smi 0000:18:00.0 performance_state=P0|nvidia-smi 0000:18:00.0 "
     "pci.pci_gpu_link_info.pcie_gen.current_link_gen=3|nvidia-smi 0000:18:00.0 "
     "pci.pci_gpu_link_info.pcie_gen.max_link_gen=5"},
    {"nvlink-errors", warning, "errors of NVLinks", needs::nvidia, kNoNvidia, "nvidia-smi *",
     "What a link sends again costs bandwidth; more of them take it down.",
     "nvidia-smi nvlink -e -i GPU shows which link; look at it again after a job (nvidia-smi "
     "nvlink -re sets the counters to 0); if they grow: reset the GPU, then reseat or replace it",
     looks::nvlink_errors, "if a counter of replays, recoveries, CRC or other errors is not 0",
     "nvidia-smi 0000:18:00.0 nvlink.crc_errors=12"},
    {"gpu-peers", problem, "GPUs that reach each other's memory", needs::several_nvidia,
     kNoSeveralNvidia, "nvidia-p2p*",
     "NCCL then moves data between them through the host's memory.",
     "on bare metal: switch the IOMMU and ACS off; in a virtual machine ask the provider; GPUs "
     "without it: take a job's GPUs from one group (nvidia-smi topo -m)",
     looks::gpu_peers,
     "if nvidia-smi topo -p2p r is not OK for a pair: as a problem if the GPU has 12 NVLinks or "
     "more, which NVSwitches join, else as a warning",
     "nvidia-smi 0000:18:00.0 processes=0|nvidia-smi 0000:2a:00.0 processes=0|nvidia-p2p "
     "0000:18:00.0 0000:2a:00.0=CNS"},
    {"gpu-fabric", problem, "NVLink's fabric of GPUs behind NVSwitches", needs::nvidia, kNoNvidia,
     "nvidia-smi *", "Without it programs fail with 'system not yet initialized' or without NVLS.",
     "systemctl restart nvidia-fabricmanager, of the driver's version; then reset the GPUs",
     looks::gpu_fabric,
     "if its state is not Completed, or its status not Success, or the fabric manager is of "
     "another version than the driver; as a warning if its health is not full, or GPUs of this "
     "node are in several cliques or clusters",
     "nvidia-smi 0000:18:00.0 fabric.state=In Progress"},
    {"imex-access", problem, "channels for NVLinks between nodes", needs::nvlinks_between_nodes,
     "no NVLinks between nodes (MNNVL)", "access /dev/nvidia-caps-imex-channels",
     "NCCL then says 'Check the IMEX channel', and fails or takes the network between nodes.",
     "start nvidia-imex on all nodes of the NVLink domain, with "
     "/etc/nvidia-imex/nodes_config.cfg; mknod or the driver's NVreg_CreateImexChannel0=1 makes "
     "the channel; docker run --device=/dev/nvidia-caps-imex-channels/channel0, in Kubernetes a "
     "ComputeDomain",
     looks::imex_channel,
     "if the process may read and write no /dev/nvidia-caps-imex-channels/channel*; as a warning "
     "if "
     "there is none",
     "nvidia-smi 0000:18:00.0 fabric.clusterUuid=5a1b|access "
     "/dev/nvidia-caps-imex-channels=absent"},
    {"gpu-diagnosis", problem, "what DCGM finds", needs::nvidia, kNoNvidia, "dcgmi*",
     "DCGM's short diagnosis found it.",
     "see the test in DCGM's documentation; dcgmi diag -r 3 "
     "with no job on the node tests longer",
     looks::gpu_diagnosis, "if a test of dcgmi diag -r 1 fails; as a warning if it warns",
     "dcgmi=asked|dcgmi 1 fail=Denylist: Found driver on the denylist: nouveau"},
    {"gpu-in-use", warning, "memory of GPUs that is in use", needs::nvidia, kNoNvidia,
     "nvidia-smi *", "A job finds less memory, and shares the GPU's time.",
     "nvidia-smi shows which processes; where it shows none, those of other containers, or of a "
     "job that hangs: ps aux | grep ' [DZ]', then fuser -v /dev/nvidia*",
     looks::gpu_in_use,
     "if more than gpu_used_bytes are in use, and no process is seen; as a note where one is seen",
     "nvidia-smi 0000:18:00.0 processes=0|nvidia-smi 0000:18:00.0 fb_memory_usage.used=41203 MiB"},
});

}  // namespace

std::span<const Check> all_checks() { return kChecks; }

}  // namespace linerate::node
