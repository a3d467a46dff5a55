# The trainers: libraries and programs of their own, because linerate itself needs no OpenBLAS.
linerate_library(cpu_math src/devices/cpu/math linerate_comm openblas::openblas)
if(TARGET linerate_cpu_math)
  # Kernels multiply and add at once where the processor can, and ask for no errno of sqrt(). No
  # vector crosses a call, so its ABI is no matter. By `fast` clang joins what it happens to find
  # together, so that equal sums have other bits in other places; g++ knows no `on`.
  target_compile_options(linerate_cpu_math PRIVATE $<$<CONFIG:Release>:-O3>
    -ffp-contract=$<IF:$<CXX_COMPILER_ID:Clang>,on,fast>
    -fno-math-errno -Wno-psabi)
endif()
linerate_library(training_data trainers/data linerate_base)
linerate_library(training_memory trainers/memory linerate_comm)
linerate_library(training_layout trainers/layout linerate_training_memory linerate_model)
linerate_library(training_pipeline trainers/pipeline linerate_base)
linerate_library(training_parallel trainers/parallel linerate_training_memory linerate_model)
linerate_library(training_model trainers/model linerate_training_layout linerate_training_parallel)
linerate_library(optimizer trainers/optimizer linerate_comm)
linerate_library(training_checkpoint trainers/checkpoint linerate_training_memory linerate_record
                 ZLIB::ZLIB)
linerate_library(training_engine trainers/engine linerate_training_model linerate_training_data
                 linerate_training_layout linerate_training_parallel linerate_training_pipeline
                 linerate_training_checkpoint
                 linerate_optimizer linerate_model linerate_job)

linerate_library(training_programs trainers/programs linerate_training_engine linerate_cpu_math
                 linerate_commands linerate_replay)

# Programs as linerate is one: symbols are exported for the modules of backends.
get_property(layers GLOBAL PROPERTY LINERATE_LAYERS)
foreach(trainer ddp fsdp 3d)
  add_executable(train_${trainer} trainers/train_${trainer}.cc)
  target_link_libraries(train_${trainer} PRIVATE
    -Wl,--whole-archive ${layers} -Wl,--no-whole-archive linerate_training_programs)
  set_target_properties(train_${trainer} PROPERTIES ENABLE_EXPORTS ON)
  install(TARGETS train_${trainer} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
    COMPONENT trainers EXCLUDE_FROM_ALL)
endforeach()
# What linerate plan asks how fast the device's Math is.
add_executable(math_perf trainers/math_perf.cc)
target_link_libraries(math_perf PRIVATE linerate_training_programs)
install(TARGETS math_perf RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  COMPONENT trainers EXCLUDE_FROM_ALL)
add_custom_target(trainers DEPENDS train_ddp train_fsdp train_3d math_perf)

# The documentation is what --data text reads: beside the programs, as where they are installed.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/linerate)
file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/docs ${CMAKE_BINARY_DIR}/share/linerate/docs SYMBOLIC)
install(DIRECTORY docs DESTINATION share/linerate
  FILES_MATCHING PATTERN "*.md" PATTERN results EXCLUDE)
