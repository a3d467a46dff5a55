#include "topo/model/algorithm.h"

namespace linerate::topo {
namespace {

constexpr std::array<std::string_view, kFunctions> kFunctionNames{
    "broadcast", "reduce", "all_gather", "reduce_scatter", "all_reduce"};
constexpr std::array<std::string_view, kAlgorithms> kAlgorithmNames{
    "Tree", "Ring", "CollNetDirect", "CollNetChain", "NVLS", "NVLSTree", "PAT"};
constexpr std::array<std::string_view, kProtocols> kProtocolNames{"LL", "LL128", "Simple"};

}  // namespace

std::string_view name_of(Function function) { return kFunctionNames.at(index_of(function)); }
std::string_view name_of(Algorithm algorithm) { return kAlgorithmNames.at(index_of(algorithm)); }
std::string_view name_of(Protocol protocol) { return kProtocolNames.at(index_of(protocol)); }

}  // namespace linerate::topo
