# Language, warnings and sanitizers, the same for every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME linerate)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/archive)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
# Assertions stay on in every build: they guard our own mistakes, outside the timed region.
string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")

# Paths are hashed relative to the checkout, so that every clone on a machine shares its objects.
# What a file includes comes from the compiler: the preprocessor need not run first (CCACHE_DEPEND).
# Precompiled headers count as their contents (CCACHE_SLOPPINESS).
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
    CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()

# assert() writes its file's path, and unity files include theirs by an absolute one: without this
# no clone finds in the cache what another compiled.
add_compile_options("$<$<COMPILE_LANGUAGE:CXX,C>:-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=>")
add_compile_options("$<$<COMPILE_LANGUAGE:CXX,C>:-Wall;-Wextra;-Wshadow;-Wconversion>")
# Other compilers warn of other things: only the continuous integration insists.
option(LINERATE_WERROR "Warnings are errors" $ENV{LINERATE_WERROR})
if(LINERATE_WERROR)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX,C>:-Werror>")
endif()
# Nothing reads the floating-point exception flags; without them loops with selections vectorise.
add_compile_options("$<$<COMPILE_LANGUAGE:CXX,C>:-fno-trapping-math>")
# g++ 12 sees an overflow inside fmt that is not there (GCC bug 105329 family).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overflow>")
  # It collects its garbage from 512 MiB on, not from 128: an eighth less time, 1.2 GB at most.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:--param ggc-min-heapsize=524288>")
endif()
# g++ is the compiler whose warnings count. clang's -Wconversion warns of signs, its -Wshadow of
# other files in a unity build, and it does not know some attributes for the optimiser.
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  add_compile_options(-Wno-sign-conversion -Wno-shadow -Wno-deprecated-declarations
    -Wno-unknown-attributes -Wno-ignored-attributes -Wno-unknown-pragmas)
  # A cache brings precompiled headers back that are older than what they were made of.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
endif()

set(LINERATE_SANITIZE "" CACHE STRING "Sanitizers for all targets: address,undefined or thread")
if(LINERATE_SANITIZE)
  # Half the time to compile; a report needs lines, no variables.
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")
  add_compile_options(-fsanitize=${LINERATE_SANITIZE}
    -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${LINERATE_SANITIZE})
  # Its check opens a pipe, which fails where tests leave no descriptor.
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    add_compile_options(-fno-sanitize=vptr)
  endif()
  # g++ defines __SANITIZE_ADDRESS__, clang has __has_feature: one name for both.
  if(LINERATE_SANITIZE MATCHES thread)
    add_compile_definitions(LINERATE_TSAN)
  elseif(LINERATE_SANITIZE MATCHES address)
    add_compile_definitions(LINERATE_ASAN)
  endif()
  # Leaks of libraries are not ours; those of Open MPI are told by whole stacks only.
  set(LINERATE_LEAK_OPTIONS
    LSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/cmake/lsan.supp:print_suppressions=0)
  set(LINERATE_SANITIZER_OPTIONS ASAN_OPTIONS=fast_unwind_on_malloc=0 ${LINERATE_LEAK_OPTIONS})
endif()
