// Logs of made-up jobs, in the words of several versions of NCCL.
#pragma once

#include "diagnose/log/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate::logs {

inline ReadBytes bytes_of(std::string_view text, std::size_t at_once = 1U << 20) {
  return [text, at_once](std::span<char> room) mutable {
    const auto n = std::min({text.size(), room.size(), at_once});
    std::copy_n(text.data(), n, room.data());
    text.remove_prefix(n);
    return n;
  };
}

inline LogReport read_logs(const std::vector<std::pair<std::string, std::string>>& files) {
  LogReader reader;
  for (const auto& [name, text] : files) reader.read(name, bytes_of(text));
  return std::move(reader).report();
}

inline LogReport read_log(const std::string& text) { return read_logs({{"job.log", text}}); }

inline std::string info(int rank, std::string_view text) {
  return fmt::format("node{}:{}:{} [{}] NCCL INFO {}\n", rank / 2, 100 + rank, 200 + rank, rank % 2,
                     text);
}

inline std::string warn(int rank, std::string_view site, std::string_view text) {
  return fmt::format("\nnode{}:{}:{} [{}] {} NCCL WARN {}\n", rank / 2, 100 + rank, 300 + rank,
                     rank % 2, site, text);
}

// What PyTorch's watchdog says of a rank.
inline std::string watchdog(int rank, std::string_view operation, int sequence, int completed) {
  return fmt::format(
      "[rank{0}]:[E1 Process.cpp:1] [Rank {0}] Watchdog caught collective operation timeout: "
      "WorkNCCL(SeqNum={1}, OpType={2}, NumelIn=1, Timeout(ms)=600000) ran for 600001 ms\n"
      "[rank{0}]:[E1 ProcessGroupNCCL.cpp:2] [PG ID 0 PG GUID 0(default_pg) Rank {0}] Timeout at "
      "NCCL work: {1}, last enqueued NCCL work: {1}, last completed NCCL work: {3}.\n",
      rank, sequence, operation, completed);
}

inline const std::string kUnreachable = warn(
    3, "transport/net_ib.cc:99",
    "NET/IB : Got completion from peer 10.0.0.1<9> with status=12 opcode=0 len=0 vendor err 129");
inline const std::string kClosed =
    warn(0, "misc/socket.cc:49", "socketProgress: Connection closed by remote peer node1<9>");

// Four ranks on two hosts that start, connect and finish: NCCL 2.21 over InfiniBand.
inline std::string healthy_log() {
  std::string log;
  for (int rank = 0; rank < 4; ++rank) {
    log += info(rank, "cudaDriverVersion 12040");
    log += info(rank, "Bootstrap : Using eth0:10.0.0.1<0>");
    if (rank == 0) log += "NCCL version 2.21.5+cuda12.4\n";
    log += info(rank, "NCCL_IB_HCA set to mlx5_0");
    log += info(rank, "NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.1<0>");
    log += info(rank, "Using network IB");
    log +=
        info(rank, fmt::format("ncclCommInitRank comm 0x55{} rank {} nranks 4 cudaDev {} nvmlDev "
                               "{} busId 1000 commId 0xabc - Init START",
                               rank, rank, rank % 2, rank % 2));
  }
  log += info(0, "Channel 00/02 :    0   1   2   3");
  for (int rank = 0; rank < 4; ++rank) {
    const int next = (rank + 1) % 4;
    log += info(rank, "Trees [0] 1/-1/-1->0->-1 [1] 1/-1/-1->0->-1");
    if (rank % 2 == 0) {
      log += info(rank, fmt::format("Channel 00/0 : {}[0] -> {}[1] via P2P/CUMEM", rank, next));
    } else {
      log += info(rank, fmt::format("Channel 00/0 : {}[1] -> {}[0] [send] via NET/IB/0/GDRDMA",
                                    rank, next));
      log += info(next, fmt::format("Channel 00/0 : {}[1] -> {}[0] [receive] via NET/IB/0/GDRDMA",
                                    rank, next));
    }
  }
  for (int rank = 0; rank < 4; ++rank) {
    log += info(rank, "Connected all rings");
    log +=
        info(rank, fmt::format("ncclCommInitRank comm 0x55{} rank {} nranks 4 cudaDev {} nvmlDev "
                               "{} busId 1000 commId 0xabc - Init COMPLETE",
                               rank, rank, rank % 2, rank % 2));
    log += info(rank, fmt::format("Init timings - ncclCommInitRank: rank {} nranks 4 total {:.2f} "
                                  "(kernels 0.1, bootstrap 0.2)",
                                  rank, 1.5 + rank));
  }
  return log;
}

inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace linerate::logs
