# build/bin/linerate and its links under nccl-tests' names. Symbols are exported for the modules.
if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/src/main.cc)
  get_property(layers GLOBAL PROPERTY LINERATE_LAYERS)
  add_executable(linerate src/main.cc)
  target_link_libraries(linerate PRIVATE -Wl,--whole-archive ${layers} -Wl,--no-whole-archive linerate_commands)
  set_target_properties(linerate PROPERTIES ENABLE_EXPORTS ON)
  target_compile_definitions(linerate PRIVATE LINERATE_VERSION="${PROJECT_VERSION}")
endif()
