// The side of NCCL that loads a tuner plugin and asks it, as NCCL of each version of the interface.
#pragma once

#include "backends/nccl/tuner_plugin/abi.h"

#include <gtest/gtest.h>

#include <dlfcn.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace linerate::nccl::tuner {

struct Line {
  int level = 0;
  std::string text{};
};
inline std::vector<Line>& logged() {
  static std::vector<Line> lines;
  return lines;
}
inline void log_line(int level, unsigned long, const char*, int, const char* format, ...) {
  std::array<char, 1024> text{};
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text.data(), text.size(), format, arguments);
  va_end(arguments);
  logged().push_back({level, text.data()});
}

struct Chosen {
  int algorithm = -1, protocol = -1, channels = 0;
  bool operator==(const Chosen&) const = default;
};
inline void PrintTo(const Chosen& chosen, std::ostream* out) {
  *out << chosen.algorithm << '/' << chosen.protocol << '/' << chosen.channels;
}

// What the machine has; the fake NCCL would take Ring with Simple.
struct Has {
  bool nvls = false, collnet = false, ll128 = true;
  int algorithms = 7;  // 2.22 knows no PAT
};
inline constexpr Chosen kOwn{.algorithm = 1, .protocol = 2, .channels = 24};

// Loads the plugin, makes one communicator, and frees both.
class FakeHost {
 public:
  explicit FakeHost(int version, std::size_t nranks = 8, std::size_t nnodes = 1, Has has = {})
      : version_(version), has_(has) {
    logged().clear();
    library_ = dlopen(LINERATE_TUNER_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) throw std::runtime_error(dlerror());
    const auto symbol = "ncclTunerPlugin_v" + std::to_string(version);
    table_ = dlsym(library_, symbol.c_str());
    if (table_ == nullptr) throw std::runtime_error(dlerror());
    const int result = version == 5 ? as<EntryPointsV5>().init(&context_, 7, nranks, nnodes,
                                                               log_line, nullptr, nullptr)
                                    : as<EntryPointsV2>().init(nranks, nnodes, log_line, &context_);
    EXPECT_EQ(result, kSuccess);
  }
  ~FakeHost() { end(); }
  FakeHost(const FakeHost&) = delete;
  FakeHost& operator=(const FakeHost&) = delete;

  void end() {
    if (library_ == nullptr) return;
    EXPECT_EQ(as<EntryPointsV2>().finalize(context_), kSuccess);
    dlclose(library_);
    library_ = nullptr;
  }

  std::string name() const { return as<EntryPointsV2>().name; }

  Chosen call(int function, std::size_t bytes) {
    return version_ == 2 ? call_v2(function, bytes) : call_by_cost(function, bytes);
  }

 private:
  static constexpr int kProtocols = 3;
  static constexpr float kBeyond = 7;  // what stands behind the table

  template <typename Table>
  const Table& as() const {
    return *static_cast<const Table*>(table_);
  }

  Chosen call_v2(int function, std::size_t bytes) {
    Chosen chosen;
    EXPECT_EQ(as<EntryPointsV2>().choose(context_, function, bytes, has_.collnet ? 1 : 0,
                                         has_.nvls ? 1 : 0, 1, &chosen.algorithm, &chosen.protocol,
                                         &chosen.channels),
              kSuccess);
    if (chosen.algorithm < 0) {
      chosen.algorithm = kOwn.algorithm;
      chosen.protocol = kOwn.protocol;
    }
    if (chosen.channels == 0) chosen.channels = kOwn.channels;
    return chosen;
  }

  // In microseconds; -1: not available.
  float cost(int algorithm, int protocol) const {
    const bool collnet = algorithm == 2 || algorithm == 3, nvls = algorithm == 4 || algorithm == 5;
    if ((collnet && !has_.collnet) || (nvls && !has_.nvls)) return -1;
    if (algorithm == 6 || (protocol == 1 && !has_.ll128)) return -1;
    if ((collnet || nvls) && protocol != 2) return -1;
    return algorithm == kOwn.algorithm && protocol == kOwn.protocol ? 5.F : 10.F;
  }

  Chosen call_by_cost(int function, std::size_t bytes) {
    std::vector<float> costs;
    for (int cell = 0; cell < has_.algorithms * kProtocols; ++cell)
      costs.push_back(cost(cell / kProtocols, cell % kProtocols));
    const auto end = costs.size();
    costs.resize(end + kProtocols, kBeyond);
    int channels = 0;
    auto* const table = reinterpret_cast<float**>(costs.data());
    const int result = version_ == 3
                           ? as<EntryPointsV3>().choose(context_, function, bytes, 1, table,
                                                        has_.algorithms, kProtocols, &channels)
                           : as<EntryPointsV4>().choose(context_, function, bytes, 1, table,
                                                        has_.algorithms, kProtocols, 0, &channels);
    EXPECT_EQ(result, kSuccess);
    for (auto i = end; i < costs.size(); ++i) EXPECT_EQ(costs[i], kBeyond) << "beyond the table";
    costs.resize(end);
    int best = -1;
    for (int cell = 0; cell < static_cast<int>(costs.size()); ++cell) {
      const auto at = [&](int i) { return costs[static_cast<std::size_t>(i)]; };
      if (at(cell) >= 0 && (best < 0 || at(cell) < at(best))) best = cell;
    }
    return {best / kProtocols, best % kProtocols, channels == 0 ? kOwn.channels : channels};
  }

  int version_;
  Has has_;
  void* library_ = nullptr;
  const void* table_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace linerate::nccl::tuner
