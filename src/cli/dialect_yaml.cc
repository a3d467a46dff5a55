// Our own file: each option by its name, and distributed_strategy.
#include "cli/dialect.h"

#include <array>

namespace linerate {
namespace {

constexpr auto kYamlRows = std::to_array<DialectRow>({
    {.names = "distributed_strategy distributed-strategy",
     .option = "zero tp cp pp",
     .values = "ddp=0,1,1,1 fsdp=3,1,1,1 zero1=1,1,1,1 zero2=2,1,1,1 zero3=3,1,1,1 3d= auto="},
});

}  // namespace

const Dialect& yaml_dialect() {
  static const Dialect kYaml{
      .title = "a trainer's configuration", .has_ours = true, .rows = kYamlRows};
  return kYaml;
}

}  // namespace linerate
