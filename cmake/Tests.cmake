# One test program per layer; conformance, system and architecture tests beside them. Those of
# several threads have a label of their own: ThreadSanitizer runs these. ctest knows programs and
# files; tests/runner counts their cases, which tests/runner/summary.py adds up.
find_package(GTest REQUIRED)

# Python tests run on the distribution's interpreter, as reports do.
set(LINERATE_PYTHON /usr/bin/python3 CACHE FILEPATH "Interpreter of reports and of the tests")
set(LINERATE_CASES ${CMAKE_BINARY_DIR}/cases)  # how each case ended, a file for each test
set(runner ${CMAKE_CURRENT_SOURCE_DIR}/tests/runner)

# cmake/test.sh gives ctest three slots for each core: a test that computes takes two of them, one
# that mostly waits takes one, and one with short deadlines, which must not wait for a core, three.
# A test of a higher cost starts earlier: what waits long waits beside what computes.
set(computing PROCESSORS 2)
set(waiting PROCESSORS 1 COST 50)
set(punctual PROCESSORS 3 COST 100 RESOURCE_LOCK punctual)
set(long COST 50)

# linerate_gtest(NAME LABELS [SHARDS n] [LIMIT seconds] [WHOLE] [PUNCTUAL] [LEAVE_OUT regex]
# [COMMAND word...]): the cases of the program NAME, or of COMMAND; each may take LIMIT. SHARDS run
# beside each other.
function(linerate_gtest name label)
  cmake_parse_arguments(arg "WHOLE;PUNCTUAL" "SHARDS;LIMIT;LEAVE_OUT" "COMMAND" ${ARGN})
  if(NOT arg_COMMAND)
    set(arg_COMMAND $<TARGET_FILE:${name}>)
  endif()
  if(NOT arg_LIMIT)
    set(arg_LIMIT 120)
  endif()
  set(options --limit ${arg_LIMIT})
  if(arg_WHOLE)
    list(APPEND options --whole)
  endif()
  if(arg_LEAVE_OUT)
    list(APPEND options --leave-out ${arg_LEAVE_OUT})
  endif()
  set(slots ${computing})
  if(arg_PUNCTUAL)
    set(slots ${punctual})
  endif()
  set(shards ${name})
  if(arg_SHARDS)
    set(shards "")
    foreach(number RANGE 1 ${arg_SHARDS})
      list(APPEND shards ${name}.${number})
    endforeach()
  endif()
  list(LENGTH shards count)
  set(index 0)
  foreach(shard IN LISTS shards)
    add_test(NAME ${shard} COMMAND ${LINERATE_PYTHON} ${runner}/gtest.py --name ${shard}
      --into ${LINERATE_CASES} --shard ${index}/${count} ${options} -- ${arg_COMMAND})
    set_tests_properties(${shard} PROPERTIES LABELS "${label}" SKIP_RETURN_CODE 77 TIMEOUT 1500
      ${slots} ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;${LINERATE_LEAK_OPTIONS}")
    math(EXPR index "${index} + 1")
  endforeach()
endfunction()

# linerate_test(NAME FOLDERS library... [SHARDS n] [PUNCTUAL] [THREADS] [SLOW] [LEAVE_OUT regex]): a
# program of all sources of FOLDERS. A SLOW one is built by the test slow_programs.build.
function(linerate_test name folders)
  cmake_parse_arguments(arg "PUNCTUAL;SLOW;THREADS" "SHARDS;LEAVE_OUT" "" ${ARGN})
  list(TRANSFORM folders PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(TRANSFORM folders APPEND /*.cc)
  file(GLOB sources CONFIGURE_DEPENDS ${folders})
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${arg_UNPARSED_ARGUMENTS} GTest::gtest_main GTest::gmock)
  target_compile_options(${name} PRIVATE -O0)  # tests are built more often than they run
  if(LINERATE_UNITY)
    linerate_unite_tests(${name} ${sources})
  endif()
  set(label unit)
  if(arg_THREADS)
    set(label threads)
    add_dependencies(tests_of_threads ${name})
  endif()
  set(options "")
  if(arg_PUNCTUAL)
    set(options PUNCTUAL)
  endif()
  if(arg_SLOW)
    set(label slow)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  linerate_gtest(${name} ${label} SHARDS ${arg_SHARDS} LEAVE_OUT ${arg_LEAVE_OUT} ${options})
  if(arg_SLOW)
    set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED slow_programs)
  endif()
endfunction()

# What the preset tsan builds; its tests have the label threads.
add_custom_target(tests_of_threads)

linerate_test(unit_base tests/unit/base linerate_base)
linerate_test(unit_comm tests/unit/comm linerate_comm)
linerate_test(unit_pattern tests/unit/pattern linerate_pattern)
# Hundreds of training steps, of simulated studies and of searches for channels, and waits of many
# seconds: `make test` leaves them to .ci/run and `make test-full`. The former take minutes under a
# sanitizer, which runs other tests of the same code.
set(long_training Learning)
set(long_studies "Verdicts[.]|Effect[.](Interval|Approximates|IsFoundInBlocks)")
string(CONCAT long_searches
  "Forecasts(OfSends)?[.](Grow|StayBelow)|FewChannels[.]AreNever"
  "|ClusterPredictions[.](OfOneRack|NeverGain)|CostsOfOrders[.]NeverRise"
  "|Plans[.](HaveReplicas|TakeAsFew)|PlansAsJson[.]HaveEvery|ShownPlans[.]Name")
if(NOT LINERATE_SANITIZE)
  string(APPEND long_training "|Equality[.]Of"
    "(SequenceParallelLayouts|EveryOrderOfAxes|TensorParallelStages|EveryStageOfZero)"
    "|Types/Precision.*(half|double)")
  string(CONCAT long_waits
    "ForkProcesses[.](TakeTwoSignals|KillRanksThatDo)|StoppedProcess|WatchedThreads[.]ThatNothing"
    "|Watch[.](EndsAProcessWhose|LetsAJobGoOn|LetsAThreadWait)"
    "|StartGuard[.](SaysOnce|LeavesTheDeadline)")
endif()

# linerate_long_cases(PROGRAM REGEX [option of linerate_gtest...]): what PROGRAM leaves out, as a
# slow test of its own.
function(linerate_long_cases program regex)
  if(TARGET ${program} AND NOT LINERATE_SANITIZE)
    linerate_gtest(${program}.long slow LEAVE_OUT "^(?!.*(${regex}))" ${ARGN}
      COMMAND $<TARGET_FILE:${program}>)
  endif()
endfunction()

linerate_test(unit_stats tests/unit/stats linerate_stats LEAVE_OUT ${long_studies})
linerate_long_cases(unit_stats "${long_studies}")
linerate_test(unit_record tests/unit/record linerate_record)
linerate_test(unit_yaml tests/unit/yaml linerate_yaml)
linerate_test(unit_collectives tests/unit/collectives linerate_collectives)
linerate_test(unit_model tests/unit/model linerate_model)
linerate_test(unit_topo "tests/unit/topo;tests/unit/topo/*" linerate_topo SHARDS 4
              LEAVE_OUT ${long_searches})
linerate_long_cases(unit_topo "${long_searches}")
linerate_test(unit_devices tests/unit/devices linerate_devices THREADS)
linerate_test(unit_cpu_math tests/unit/devices/math linerate_cpu_math linerate_devices THREADS)
if(TARGET unit_cpu_math)
  # Its references loop over all elements.
  target_compile_options(unit_cpu_math PRIVATE -O1 -Wno-psabi)
endif()
linerate_test(unit_training_data tests/unit/trainers/data linerate_training_data)
linerate_test(unit_optimizer tests/unit/trainers/optimizer linerate_optimizer)
linerate_test(unit_training_memory tests/unit/trainers/memory linerate_training_memory
              linerate_devices)
linerate_test(unit_training_model tests/unit/trainers/model linerate_training_model
              linerate_cpu_math linerate_devices)
linerate_test(unit_training_layout tests/unit/trainers/layout linerate_training_layout
              linerate_backend_host linerate_launch THREADS)
linerate_test(unit_training_pipeline tests/unit/trainers/pipeline linerate_training_pipeline)
linerate_test(unit_training_parallel tests/unit/trainers/parallel linerate_training_parallel
              linerate_cpu_math linerate_devices linerate_backend_host linerate_launch THREADS)
linerate_test(unit_training_checkpoint tests/unit/trainers/checkpoint linerate_training_checkpoint
              linerate_launch THREADS)
linerate_test(unit_training_engine tests/unit/trainers/engine linerate_training_engine
              linerate_cpu_math linerate_devices linerate_backend_host linerate_launch THREADS
              LEAVE_OUT ${long_training})
if(TARGET unit_training_engine AND NOT LINERATE_SANITIZE)
  linerate_gtest(unit_training_engine.every_layout slow
    LEAVE_OUT "^(?!Resume[.]OnAny|Types/Precision|Models/((Pipeline)?Equality|Learning))"
    COMMAND $<TARGET_FILE:unit_training_engine>)
  set_property(TEST unit_training_engine.every_layout APPEND PROPERTY ENVIRONMENT TRAIN_LAYOUTS=all)
endif()
# The engine once more, where tests switch on bugs: races among them, so that ThreadSanitizer does
# not run these.
set(sources)
foreach(part engine model parallel)
  get_target_property(of_part linerate_training_${part} SOURCES)
  list(APPEND sources ${of_part})
endforeach()
get_target_property(libraries linerate_training_engine LINK_LIBRARIES)
list(REMOVE_ITEM libraries linerate_training_model linerate_training_parallel)
add_library(engine_with_bugs STATIC EXCLUDE_FROM_ALL ${sources})
linerate_unite(engine_with_bugs ${sources})
target_include_directories(engine_with_bugs BEFORE PUBLIC
  ${CMAKE_CURRENT_SOURCE_DIR}/tests/unit/trainers/bugs/with_bugs)
target_compile_options(engine_with_bugs PRIVATE -O1)
target_link_libraries(engine_with_bugs PUBLIC ${libraries})
linerate_test(unit_training_bugs tests/unit/trainers/bugs engine_with_bugs linerate_cpu_math
              linerate_devices linerate_backend_host linerate_launch SLOW)
linerate_test(unit_training_programs tests/unit/trainers/programs linerate_training_programs
              linerate_launch)
linerate_test(unit_backend_host "tests/unit/backends/host;tests/unit/backends/host/*"
              linerate_backend_host linerate_launch SHARDS 2 THREADS)
if(TARGET unit_backend_host)
  target_compile_options(unit_backend_host PRIVATE -O1)  # its reference loops over all elements
endif()
linerate_test(unit_backend_fake tests/unit/backends/fake
              linerate_backend_fake linerate_launch THREADS)
linerate_test(unit_backends tests/unit/backends linerate_backends THREADS)
linerate_test(unit_nccl_tuner tests/unit/backends/nccl/tuner linerate_nccl_tuner_rules linerate_base
              ${CMAKE_DL_LIBS})
if(TARGET unit_nccl_tuner)
  add_dependencies(unit_nccl_tuner nccl-tuner-linerate)
  target_compile_definitions(unit_nccl_tuner PRIVATE
    LINERATE_TUNER_PLUGIN="$<TARGET_FILE:nccl-tuner-linerate>")
endif()
linerate_test(unit_launch "tests/unit/launch;tests/unit/launch/*"
              linerate_launch SHARDS 3 PUNCTUAL THREADS LEAVE_OUT ${long_waits})
linerate_long_cases(unit_launch "${long_waits}" PUNCTUAL)
linerate_test(unit_job tests/unit/job linerate_job THREADS)
linerate_test(unit_bench "tests/unit/bench;tests/unit/bench/limits;tests/unit/bench/survey"
              linerate_bench linerate_backend_fake linerate_launch THREADS)
linerate_test(unit_probe tests/unit/bench/probe linerate_probe linerate_devices THREADS)
linerate_test(unit_memcpy tests/unit/bench/memcpy linerate_memcpy)
linerate_test(unit_diagnose tests/unit/diagnose linerate_diagnose linerate_bench)
linerate_test(unit_doctor_env tests/unit/diagnose/env linerate_doctor_env)
linerate_test(unit_doctor_hang tests/unit/diagnose/hang linerate_doctor_hang)
linerate_test(unit_doctor_health tests/unit/diagnose/health linerate_doctor_health)
linerate_test(unit_doctor_log tests/unit/diagnose/log linerate_doctor_log)
linerate_test(unit_doctor_node tests/unit/diagnose/node linerate_doctor_node)
linerate_test(unit_doctor_prove tests/unit/diagnose/prove linerate_doctor_prove
              linerate_doctor_env)
target_compile_definitions(unit_doctor_prove PRIVATE
  LINERATE_SOURCE_DIR="${CMAKE_CURRENT_SOURCE_DIR}")
linerate_test(unit_doctor_results tests/unit/diagnose/results linerate_doctor_results)
linerate_test(unit_output tests/unit/output linerate_output)
target_compile_definitions(unit_output PRIVATE
  LINERATE_GOLDEN_OUTPUT="${CMAKE_CURRENT_SOURCE_DIR}/tests/unit/output/golden")
linerate_test(unit_compare tests/unit/compare linerate_compare)
linerate_test(unit_scale tests/unit/scale linerate_scale)
linerate_test(unit_sweep tests/unit/sweep linerate_sweep)
linerate_test(unit_pairs tests/unit/pairs linerate_pairs)
if(TARGET unit_pairs)  # 200 clusters of each kind: the tables of docs/bad-nodes.md
  target_compile_options(unit_pairs PRIVATE -O1)  # a simulator
  linerate_gtest(unit_pairs.seeds slow LIMIT 600 LEAVE_OUT "^(?!.*(Seeds|Limits)[.])"
    COMMAND $<TARGET_FILE:unit_pairs>)
  set_property(TEST unit_pairs.seeds APPEND PROPERTY ENVIRONMENT PAIRS_SEEDS=200)
endif()
linerate_test(unit_replay tests/unit/replay linerate_replay)
linerate_test(unit_tune tests/unit/tune linerate_tune linerate_nccl_tuner_rules)
linerate_test(unit_plan tests/unit/plan linerate_plan)
linerate_test(unit_cli tests/unit/cli linerate_cli)
linerate_test(unit_commands tests/unit/commands linerate_commands)
linerate_test(unit_benchmarks tests/unit/benchmarks linerate_probe linerate_devices THREADS)

# Every collective, with threads as ranks: compiled once for the programs of all backends.
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/tests/conformance/*.cc)
add_library(conformance_cases OBJECT EXCLUDE_FROM_ALL ${sources})
linerate_unite(conformance_cases ${sources})
target_include_directories(conformance_cases PUBLIC tests)
target_compile_options(conformance_cases PRIVATE -O1)
target_link_libraries(conformance_cases PUBLIC linerate_collectives linerate_backend_fake
  linerate_launch GTest::gtest_main GTest::gmock)

# Ranks that wait for each other's turn on two cores.
if(NOT LINERATE_SANITIZE)
  set(long_conformance "AsyncStreams.*Fake3Ranks|EveryDefinedCase.*(Fake|Gloo)8Ranks")
endif()

# linerate_conformance(PROGRAM BACKEND [option of linerate_gtest...]): over the backends that
# tests/system/PROGRAM.cc lists: those of the library BACKEND, and the fake.
function(linerate_conformance program backend)
  add_executable(${program} tests/system/${program}.cc)
  target_compile_options(${program} PRIVATE -O1)
  target_link_libraries(${program} PRIVATE conformance_cases ${backend})
  add_dependencies(tests_of_threads ${program})
  linerate_gtest(${program} "threads;conformance" LIMIT 300 ${ARGN})
endfunction()
linerate_conformance(conformance linerate_backend_host SHARDS 4 LEAVE_OUT ${long_conformance})
linerate_long_cases(conformance "${long_conformance}" LIMIT 300)

# A management library of NVIDIA's, for machines without one.
add_library(fake_nvml MODULE tests/support/nvml/fake_nvml.cc)
target_include_directories(fake_nvml PRIVATE src ${CMAKE_CURRENT_SOURCE_DIR} tests)
target_link_libraries(fake_nvml PRIVATE fmt::fmt-header-only)
set_target_properties(fake_nvml PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fakes)
if(TARGET unit_topo)
  add_dependencies(unit_topo fake_nvml)
  target_compile_definitions(unit_topo PRIVATE
    LINERATE_FAKE_NVML="$<TARGET_FILE:fake_nvml>" LINERATE_SOURCE_DIR="${CMAKE_CURRENT_SOURCE_DIR}")
endif()
if(TARGET unit_doctor_health)
  add_dependencies(unit_doctor_health fake_nvml)
  target_compile_definitions(unit_doctor_health PRIVATE
    LINERATE_FAKE_NVML="$<TARGET_FILE:fake_nvml>")
endif()
# The programs of docs/start-a-job.md and docs/streams.md.
get_property(layers GLOBAL PROPERTY LINERATE_LAYERS)
foreach(example token overlap)
  add_executable(example_${example} tests/examples/${example}.cc)
  target_link_libraries(example_${example} PRIVATE
    -Wl,--whole-archive ${layers} -Wl,--no-whole-archive linerate_job)
  set_target_properties(example_${example} PROPERTIES ENABLE_EXPORTS ON)  # for the modules
  add_test(NAME system.example_${example} COMMAND example_${example})
  set_tests_properties(system.example_${example} PROPERTIES LABELS system TIMEOUT 60)
endforeach()
if(TARGET unit_job)
  target_compile_definitions(unit_job PRIVATE LINERATE_SOURCE_DIR="${CMAKE_CURRENT_SOURCE_DIR}")
endif()
foreach(test IN ITEMS unit_cli unit_commands unit_doctor_results)
  if(TARGET ${test})
    target_compile_definitions(${test} PRIVATE LINERATE_SOURCE_DIR="${CMAKE_CURRENT_SOURCE_DIR}")
  endif()
endforeach()

# linerate_python_test(NAME LABEL FILE [variable=value...]): a file of unittest's. What cannot run
# here is skipped with its reason; a file of which nothing ran is a skipped test.
function(linerate_python_test name label file)
  add_test(NAME ${name} COMMAND ${LINERATE_PYTHON} ${runner}/python.py ${name} ${LINERATE_CASES}
    ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  set_tests_properties(${name} PROPERTIES
    LABELS ${label} TIMEOUT 300 SKIP_RETURN_CODE 77 ${computing}
    ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;LINERATE_BIN=${CMAKE_BINARY_DIR}/bin;${ARGN}")
endfunction()

add_test(NAME architecture.layers
  COMMAND ${LINERATE_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/tests/architecture/check_layers.py)
set_tests_properties(architecture.layers PROPERTIES
  LABELS architecture TIMEOUT 300 ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
foreach(name IN ITEMS gtest cases)
  linerate_python_test(runner.${name} architecture tests/runner/${name}_test.py)
endforeach()
linerate_python_test(architecture.rules architecture tests/architecture/check_layers_test.py)
linerate_python_test(architecture.scopes architecture tests/architecture/scopes_test.py)
linerate_python_test(architecture.recipes architecture tests/architecture/recipes_test.py)
linerate_python_test(architecture.rule_names architecture tests/architecture/rule_names_test.py)
linerate_python_test(architecture.versions architecture tests/architecture/versions_test.py)
linerate_python_test(report.files report tests/system/report_test.py)
foreach(name IN ITEMS answer bands between charts compare effects fuzz input metrics pairs pointing
    pip problems runs sizes sorting study study_fuzz texts trends)
  linerate_python_test(report.${name} report tests/system/report_${name}_test.py)
endforeach()
linerate_python_test(output.parsers output tests/system/parsers_test.py)
foreach(name IN ITEMS ratios floors targets plan page)
  linerate_python_test(benchmarks.${name} benchmarks tests/unit/benchmarks/${name}_test.py)
endforeach()

# The tools as users start them: every file of tests/system, but those that are registered by name
# here or in NcclTests.cmake. Each has its own folders, ports and network namespaces, so that they
# run beside each other; those that measure run alone.
set(measuring beside tune measure sweep_pairs verdict train_overlap doctor_prove)
# Verdicts on what this machine did in real time: other work beside them changes what they see.
# Their rules are tested on made-up times (tests/unit/bench) and on the fake's clock
# (system.verdict).
set(timing compare_power host_verdict host_repeats nccl_tune network_verdict network_verdict_mpi
  verdict_repeats)
# Longer than a fast look allows: `make test` leaves them to .ci/run and `make test-full`.
set(slow bench beside calibration checkpoint_kills completion docs doctor_job doctor_prove
  doctor_quick_bench doctor_ras elastic elastic_ends elastic_env emulation faults gloo gloo_hosts
  hangs health hosts mpi_components nccl_beside nccl_faults nccl_options nccl_signals outputs
  placement plan plan_network progress random_stops replay replay_network scale scale_launch slurm
  suite_ends sweep_launch sweep_outcomes sweep_pairs train_3d train_launch train_layouts
  train_overlap train_progress train_records train_resident train_sync train_trace tune_library
  verdict)
# Under AddressSanitizer too: whole runs, by threads, processes and mpirun, and Ctrl-C.
set(end_to_end usage algorithms launch signals outputs golden gloo)
file(GLOB files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} tests/system/*_test.py)
set(mostly_waiting hangs faults signals hosts gloo_hosts outputs slurm placement random_stops
  emulation train_launch bench elastic_env)
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME)
  string(REPLACE "_test.py" "" name ${name})
  set(label system)
  if(name MATCHES "^(report|parsers|nccl|memcpy_|train_learning|sweep_kills)")
    continue()
  elseif(name IN_LIST timing)
    set(label timing)
  elseif(name MATCHES "^(packages|image)$")  # they fetch a root from the distribution
    set(label full)
  elseif(LINERATE_SANITIZE AND name IN_LIST end_to_end)
    set(label end_to_end)
  elseif(name IN_LIST slow)
    set(label slow)
  endif()
  linerate_python_test(system.${name} ${label} ${file} ${LINERATE_SANITIZER_OPTIONS})
  if(name IN_LIST measuring OR name IN_LIST timing)
    set_tests_properties(system.${name} PROPERTIES RUN_SERIAL ON)
  elseif(name IN_LIST mostly_waiting)
    set_tests_properties(system.${name} PROPERTIES ${waiting})
  endif()
endforeach()
set_tests_properties(system.docs system.train_sync system.train_resident PROPERTIES ${long})
set_tests_properties(system.image PROPERTIES TIMEOUT 3600)
# They start Slurm's daemons, and munged, of which a machine has one: it ends with the test that
# started it.
set_tests_properties(system.slurm system.placement system.train_launch system.scale_launch
  system.sweep_launch PROPERTIES RESOURCE_LOCK munged)

# The same runs so often that a verdict which is seldom wrong shows.
linerate_python_test(system.verdicts_100_times full tests/system/verdict_repeats_test.py
  REPEATS=100)
set_tests_properties(system.verdicts_100_times PROPERTIES RUN_SERIAL ON TIMEOUT 3600)
linerate_python_test(system.host_verdicts_200_times full tests/system/host_repeats_test.py
  HEALTHY=200 SLOWED=100)
set_tests_properties(system.host_verdicts_200_times PROPERTIES RUN_SERIAL ON TIMEOUT 3600)
# 200 ranks that stop, 50 under each launcher.
linerate_python_test(system.random_stops_200 full tests/system/random_stops_test.py
  LINERATE_STOPS=50)
set_tests_properties(system.random_stops_200 PROPERTIES RUN_SERIAL ON TIMEOUT 7200)
linerate_python_test(system.checkpoint_50_kills full tests/system/checkpoint_kills_test.py
  LINERATE_KILLS=50 LINERATE_SEED=17)
linerate_python_test(system.sweep_50_kills slow tests/system/sweep_kills_test.py
  LINERATE_KILLS=50 LINERATE_SEED=21)
linerate_python_test(system.elastic_20_kills full tests/system/elastic_test.py
  LINERATE_KILLS=20 LINERATE_SEED=19)
set_tests_properties(system.elastic_20_kills system.sweep_50_kills PROPERTIES TIMEOUT 1200)
# Each layout of up to 8 ranks, 294: an hour of two cores.
linerate_python_test(system.train_all_layouts full tests/system/train_layouts_test.py
  TRAIN_LAYOUTS=all)
set_tests_properties(system.train_all_layouts PROPERTIES TIMEOUT 7200)
# 2200 steps, some minutes.
linerate_python_test(system.train_learning full tests/system/train_learning_test.py)
set_tests_properties(system.train_learning PROPERTIES TIMEOUT 3600)

# The trainers' model beside NumPy: a program runs it and prints what goes in and comes out.
add_executable(model_dump tests/trainers/model_dump.cc)
target_include_directories(model_dump PRIVATE tests)
target_link_libraries(model_dump PRIVATE linerate_training_model linerate_cpu_math
  linerate_devices nlohmann_json::nlohmann_json)
linerate_python_test(trainers.oracle unit tests/trainers/oracle_test.py)

# NCCL's own code beside the model of it, where LINERATE_NCCL_SOURCE names its source.
linerate_python_test(oracle.nccl full tests/oracle/oracle_test.py
  LINERATE_ORACLE=${CMAKE_BINARY_DIR}/oracle)
set_tests_properties(oracle.nccl PROPERTIES TIMEOUT 7200)

# What needs a GPU: skipped with the reason where there is none.
foreach(name IN ITEMS memcpy nccl)
  linerate_python_test(gpu.${name} gpu tests/system/${name}_gpu_test.py)
  set_tests_properties(gpu.${name} PROPERTIES RUN_SERIAL ON TIMEOUT 600)
endforeach()

# The scripts of tests/gpu, which bring it to such a machine.
foreach(name IN ITEMS compare steps)
  linerate_python_test(gpu_scripts.${name} system tests/gpu/${name}_test.py)
endforeach()

# The default build leaves out the programs of slow tests and of the benchmark: a test builds them,
# so that they cannot rot, and others run them.
add_test(NAME slow_programs.build
  COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} -j 1
    --target unit_training_bugs bench_peer bench_machine)
set_tests_properties(slow_programs.build PROPERTIES
  LABELS slow FIXTURES_SETUP slow_programs TIMEOUT 600 ${computing} COST 100)
set_tests_properties(system.bench PROPERTIES FIXTURES_REQUIRED slow_programs)

include(MpiTests)
include(GlooTests)
include(NcclTests)

# No test that runs under sanitizers starts these.
if(LINERATE_SANITIZE)
  foreach(unused train_ddp train_fsdp train_3d linerate_training_programs example_token
      example_overlap mpi_overhead)
    if(TARGET ${unused})
      set_target_properties(${unused} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
  endforeach()
endif()
