// Names that other trainers have for what are options of ours: tables, and what they make of the
// keys of a file or the flags of a command line.
//
//   dialect.h             a table's rows, and how keys are understood by them
//   dialect_deepspeed.cc, dialect_megatron.cc   the tables; dialect_yaml.cc is our own file's
//   train_file.h          files and words -> options, and back
#pragma once

#include "base/result.h"
#include "cli/option.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

// How many words follow a flag.
enum class Operands : std::uint8_t { one, none, several };

// What stands for the `option` of a row that Dialect::derive has, because it depends on other keys;
// `lacks` then says in Markdown what it is.
inline constexpr std::string_view kDerived = "*";

// A flag that its key says is not given.
inline constexpr std::string_view kFlagLeftOut = "false";

// Keys, and what they are here. A row without an option and without `lacks` has no effect.
struct DialectRow {
  std::string_view names =
      {};  // with blanks between those that mean the same; "a.*": all that begin so
  std::string_view option = {};  // of ours; several, with blanks between: values between commas
  // "theirs=ours" with blanks between: the values that there are; nothing behind the sign has no
  // effect; * is any, and itself behind the sign. Empty: any, as it is.
  std::string_view values = {};
  std::string_view lacks = {};   // a clause: why there are no other values
  std::string_view absent = {};  // ours, where a whole file leaves it out; empty: our default
  Operands operands = Operands::one;

  bool has_no_effect() const { return option.empty() && values.empty() && lacks.empty(); }
  bool has_name(std::string_view name) const;
};

// One key and its value, as they stand there.
struct DialectKey {
  std::string name{}, text{};
};
const DialectKey* find_key(std::span<const DialectKey> keys, std::string_view name);

// A value for one of our options, and the key that gives it.
struct GivenOption {
  std::string name{}, said{};    // "--bf16", "true"
  std::string option{}, text{};  // "precision", "bfloat16"; a flag's text is "true" or "false"
  bool implied = false;          // the key was left out
  std::size_t file = 0;          // where there are several
};

struct UnderstoodKeys {
  std::vector<GivenOption> options{};
  std::vector<std::string> without_effect{};  // names
};

struct Dialect {
  std::string_view title = {};     // "DeepSpeed"
  std::string_view dashes = {};    // before names, in sentences
  std::string_view no_value = {};  // a value that stands for none; empty: there is none
  bool has_ours = false;           // takes our options by their own names, too
  std::span<const DialectRow> rows{};
  // Adds what depends on several keys; `whole`: they are all there are, of a file.
  Refusal (*derive)(std::span<const DialectKey> keys, bool whole, UnderstoodKeys& into) = nullptr;
};

const Dialect& yaml_dialect();
const Dialect& deepspeed_dialect();
const Dialect& megatron_dialect();

const DialectRow* find_row(const Dialect& dialect, std::string_view name);
// The name of the dialect that is near, or empty.
std::string_view nearest_name(const Dialect& dialect, std::string_view name);

// What the keys mean; the first that means nothing is refused with the nearest name, a value that
// there is not with the choices. All values are ones that their option takes.
Result<UnderstoodKeys> understand(const Dialect& dialect, std::span<const DialectKey> keys,
                                  bool whole);

// Two keys that give one option different values; nothing where none do. Of one key that stands
// twice in a file the last counts.
Refusal contradiction_of(std::span<const GivenOption> options);

// The option's value by any key that is not left out, or null.
const GivenOption* find_option_given(const UnderstoodKeys& keys, std::string_view option);

// As `kDerived` rows need it: elements of float32 in MiB, at least one.
Refusal derive_bucket(std::span<const DialectKey> keys, std::string_view name,
                      UnderstoodKeys& into);

// Their names, and what they are here: a section of docs/cli.md.
std::string dialect_markdown(const Dialect& dialect);

}  // namespace linerate
