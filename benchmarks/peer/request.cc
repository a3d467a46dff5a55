#include "benchmarks/peer/request.h"

#include "base/error.h"
#include "collectives/collective.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace linerate::benchmarks {
namespace {

const Collective* collective_named(const std::string& name) {
  const Collective* const row = find_collective(name);
  if (row == nullptr) throw Error(fmt::format("There is no collective {}.", name));
  return row;
}

}  // namespace

Request parse_request(std::string_view line) {
  try {
    const auto json = nlohmann::json::parse(line);
    Request request;
    request.what.collective = collective_named(json.at("collective"));
    request.what.bytes = json.at("bytes");
    // Data that is only moved is checked with what tells any two elements apart, as in plan_cases.
    request.what.op = request.what.collective->reduces ? RedOp::sum : RedOp::max;
    request.placement =
        json.at("placement") == "in_place" ? Placement::in_place : Placement::out_of_place;
    request.cold = json.at("cold");
    request.verify = json.at("verify");
    request.loop = json.at("loop") == "bare" ? Loop::bare : Loop::harness;
    request.iters = json.at("iters");
    request.warmup = json.at("warmup");
    request.windows = json.at("windows");
    return request;
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("The driver's request makes no sense: {}.", error.what()));
  }
}

std::string line_of(const Answer& answer) {
  return nlohmann::json{{"count", answer.count},
                        {"wrong", answer.wrong},
                        {"window_us", answer.window_us},
                        {"transport", answer.transport}}
      .dump();
}

std::string line_of(const Greeting& greeting) {
  return nlohmann::json{
      {"rank", greeting.rank}, {"nranks", greeting.nranks}, {"version", greeting.version}}
      .dump();
}

}  // namespace linerate::benchmarks
