# Writes OUTPUT: which build this is. Run at each build; a file that stays the same is not touched.
# Without git, or outside of a checkout, the commit is empty.
set(commit "")
find_program(git git)
if(git AND EXISTS ${SOURCE_DIR}/.git)
  execute_process(COMMAND ${git} -C ${SOURCE_DIR} describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [=[
#include "commands/build_info.h"

namespace linerate {

BuildInfo build_info() {
  return {.version = "@VERSION@",
          .commit = "@commit@",
          .compiler = "@COMPILER@",
          .build_type = "@BUILD_TYPE@"};
}

}  // namespace linerate
]=] @ONLY)
