// What lines of logs mean: a row for each known message, with its cause and its remedy.
//
// A row is data; faults.cc looks rows up and says which of several comes first. A new one is one
// line of a table (signatures_network.cc, _node.cc, _job.cc) and one in signatures_test.cc.
#pragma once

#include "diagnose/log/message.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace linerate::logs {

// In the order of causality: of two faults of one run, the first of these is nearer to the root.
enum class Role : std::uint8_t {
  origin,       // breaks by itself, before messages do: a link goes down, a rank is killed
  fault,        // says what is wrong
  vague,        // something is wrong here, without a cause
  consequence,  // another rank or another line failed before
  trace,        // the way of a failure through calls and launchers
  ending,       // a rank is gone, after a failure or because it was done
  slow,         // nothing fails; it costs speed
  harmless,     // known, and no fault
};

// Whose lines may be meant, beside NCCL's warnings.
enum class Lines : std::uint8_t {
  warnings,  // no others
  nccl,      // NCCL's INFO lines
  gpu,       // any with "CUDA error" or its like
  any,       // any program's; each alternative holds a word of lines.cc
};

struct Signature {
  std::string_view name;     // Finding::rule
  std::string_view pattern;  // see matches()
  Role role;
  Lines lines;
  std::string_view meaning;
  std::string_view remedy;
  std::string_view source;  // where that is discussed or documented
};

// The rows of a table in their order: the first that matches counts.
std::span<const Signature> network_signatures();
std::span<const Signature> node_signatures();
std::span<const Signature> job_signatures();

// Pieces between '*' stand in the text in this order; '|' separates alternatives.
bool matches(std::string_view pattern, std::string_view text);

// Null: none matches.
const Signature* find_signature(const Message& message);

}  // namespace linerate::logs
