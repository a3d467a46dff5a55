# One test program per layer; conformance, system and architecture tests beside them. Those of
# several threads have a label of their own: ThreadSanitizer runs these.
find_package(GTest REQUIRED)
include(GoogleTest)

function(linerate_test name folders)
  list(TRANSFORM folders PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(TRANSFORM folders APPEND /*.cc)
  file(GLOB sources CONFIGURE_DEPENDS ${folders})
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${ARGN} GTest::gtest_main GTest::gmock)
  target_compile_options(${name} PRIVATE -O1)  # tests are built more often than they run
  if(LINERATE_UNITY)
    linerate_unite_tests(${name} ${sources})
  endif()
  set(label unit)
  if(name MATCHES "launch|backend|bench|conformance")
    set(label threads)
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES
                       PROPERTIES LABELS ${label} TIMEOUT 120)
endfunction()

linerate_test(unit_base tests/unit/base linerate_base)
linerate_test(unit_comm tests/unit/comm linerate_comm)
linerate_test(unit_pattern tests/unit/pattern linerate_pattern)
linerate_test(unit_stats tests/unit/stats linerate_stats)
linerate_test(unit_record tests/unit/record linerate_record)
linerate_test(unit_yaml tests/unit/yaml linerate_yaml)
linerate_test(unit_collectives tests/unit/collectives linerate_collectives)
linerate_test(unit_topo "tests/unit/topo;tests/unit/topo/*" linerate_topo)
linerate_test(unit_devices tests/unit/devices linerate_devices)
linerate_test(unit_backend_host "tests/unit/backends/host;tests/unit/backends/host/*"
              linerate_backend_host linerate_launch)
linerate_test(unit_backend_fake tests/unit/backends/fake linerate_backend_fake linerate_launch)
linerate_test(unit_backends tests/unit/backends linerate_backends)
linerate_test(unit_launch "tests/unit/launch;tests/unit/launch/*" linerate_launch)
linerate_test(unit_bench "tests/unit/bench;tests/unit/bench/expect;tests/unit/bench/survey"
              linerate_bench linerate_backend_fake linerate_launch)
linerate_test(unit_probe tests/unit/bench/probe linerate_probe linerate_devices)
linerate_test(unit_memcpy tests/unit/bench/memcpy linerate_memcpy)
linerate_test(unit_output tests/unit/output linerate_output)
target_compile_definitions(unit_output PRIVATE
  LINERATE_GOLDEN_OUTPUT="${CMAKE_CURRENT_SOURCE_DIR}/tests/unit/output/golden")
linerate_test(unit_cli tests/unit/cli linerate_cli)
linerate_test(unit_commands tests/unit/commands linerate_commands)
linerate_test(unit_peer tests/unit/benchmarks linerate_base)
linerate_test(conformance tests/conformance linerate_collectives linerate_backend_host
              linerate_backend_fake linerate_launch)
# A management library of NVIDIA's, for machines without one.
add_library(fake_nvml MODULE tests/support/nvml/fake_nvml.cc)
target_include_directories(fake_nvml PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} tests)
target_link_libraries(fake_nvml PRIVATE fmt::fmt-header-only)
set_target_properties(fake_nvml PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fakes)
if(TARGET unit_topo)
  add_dependencies(unit_topo fake_nvml)
  target_compile_definitions(unit_topo PRIVATE LINERATE_FAKE_NVML="$<TARGET_FILE:fake_nvml>")
endif()
if(TARGET unit_cli)
  target_compile_definitions(unit_cli PRIVATE LINERATE_SOURCE_DIR="${CMAKE_CURRENT_SOURCE_DIR}")
endif()

# Python tests run on the distribution's interpreter, as reports do.
set(LINERATE_PYTHON /usr/bin/python3 CACHE FILEPATH "Interpreter of reports and of the tests")

# linerate_python_test(NAME LABEL FILE [argument...])
function(linerate_python_test name label file)
  add_test(NAME ${name} COMMAND ${LINERATE_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/${file} ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT 300
                                          ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
endfunction()

linerate_python_test(architecture.layers architecture tests/architecture/check_layers.py)
linerate_python_test(architecture.rules architecture tests/architecture/check_layers_test.py)
linerate_python_test(architecture.scopes architecture tests/architecture/scopes_test.py)
linerate_python_test(report.charts report tests/system/report_test.py)
linerate_python_test(report.input report tests/system/report_input_test.py)
linerate_python_test(report.texts report tests/system/report_texts_test.py)
linerate_python_test(report.fuzz report tests/system/report_fuzz_test.py)
linerate_python_test(report.runs report tests/system/report_runs_test.py)
linerate_python_test(report.pairs report tests/system/report_pairs_test.py)
linerate_python_test(output.parsers output tests/system/parsers_test.py)
foreach(name IN ITEMS ratios floors targets plan page)
  linerate_python_test(benchmarks.${name} benchmarks tests/unit/benchmarks/${name}_test.py)
endforeach()

# The tools as users start them. What cannot run here is skipped with its reason; a file of which
# nothing ran is a skipped test.
foreach(name IN ITEMS usage algorithms tune launch variables traffic signals outputs faults hangs
                      files installation golden topo clusters sends hosts slurm docs
                      reference bench emulation gloo
                      gloo_hosts bundle memcpy measure placement place_clusters verdict
                      verdict_repeats host_verdict network_verdict network_verdict_mpi)
  linerate_python_test(system.${name} system tests/system/${name}_test.py)
  set_tests_properties(system.${name} PROPERTIES
    ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;LINERATE_BIN=${CMAKE_BINARY_DIR}/bin"
    SKIP_RETURN_CODE 77 RUN_SERIAL ON)
endforeach()

# The same runs so often that a verdict which is seldom wrong shows.
linerate_python_test(system.verdicts_100_times full tests/system/verdict_repeats_test.py)
set_tests_properties(system.verdicts_100_times PROPERTIES
  ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;LINERATE_BIN=${CMAKE_BINARY_DIR}/bin;REPEATS=100"
  RUN_SERIAL ON TIMEOUT 3600)

# What needs a GPU: skipped with the reason where there is none.
foreach(name IN ITEMS memcpy nccl)
  linerate_python_test(gpu.${name} gpu tests/system/${name}_gpu_test.py)
  set_tests_properties(gpu.${name} PROPERTIES
    ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;LINERATE_BIN=${CMAKE_BINARY_DIR}/bin"
    SKIP_RETURN_CODE 77 RUN_SERIAL ON TIMEOUT 600)
endforeach()

# The default build leaves the benchmark's programs out: a test of their own builds them, so that
# they cannot rot.
add_test(NAME benchmarks.build
  COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target bench_peer bench_machine)
set_tests_properties(benchmarks.build PROPERTIES
  LABELS system FIXTURES_SETUP benchmarks RUN_SERIAL ON TIMEOUT 600)
set_tests_properties(system.bench PROPERTIES FIXTURES_REQUIRED benchmarks)

# linerate_conformance(BACKEND): every collective, with threads as ranks, over that backend alone.
function(linerate_conformance backend)
  set(program ${backend}_conformance)
  add_executable(${program} tests/system/${program}.cc
    tests/conformance/conformance_test.cc tests/conformance/cases.cc tests/conformance/rank.cc
    tests/conformance/streams_test.cc tests/conformance/stream_cases.cc)
  target_include_directories(${program} PRIVATE tests)
  target_link_libraries(${program} PRIVATE linerate_collectives linerate_backend_${backend}
    linerate_backend_fake GTest::gtest_main GTest::gmock)
  target_compile_options(${program} PRIVATE -O1)
  gtest_discover_tests(${program} TEST_PREFIX ${backend}. DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES
                       PROPERTIES LABELS ${backend} TIMEOUT 300)
endfunction()

include(MpiTests)
include(GlooTests)
include(NcclTests)
