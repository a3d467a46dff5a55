# build/bin/linerate and its links under nccl-tests' names. Symbols are exported for the modules.
if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/src/main.cc)
  return()
endif()

get_property(layers GLOBAL PROPERTY LINERATE_LAYERS)
add_executable(linerate src/main.cc)
target_link_libraries(linerate PRIVATE
  -Wl,--whole-archive ${layers} -Wl,--no-whole-archive linerate_commands)
set_target_properties(linerate PROPERTIES ENABLE_EXPORTS ON)

# What is installed: no tests. Modules add themselves.
add_custom_target(tools DEPENDS linerate)
# The same without what only GPUs need.
add_custom_target(host_tools DEPENDS linerate)

# The tools' names stand in the collectives' rows; p2p_perf and memcpy_perf have none.
set(tools p2p_perf memcpy_perf)
file(GLOB rows CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/collectives/*.cc)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${rows})
foreach(row IN LISTS rows)
  file(STRINGS ${row} line REGEX "\\.binary = \"[a-z0-9_]+\"")
  if(line)
    string(REGEX REPLACE ".*\\.binary = \"([a-z0-9_]+)\".*" "\\1" tool "${line}")
    list(APPEND tools ${tool})
  endif()
endforeach()

set(links "")
foreach(tool IN LISTS tools)
  list(APPEND links COMMAND ${CMAKE_COMMAND} -E create_symlink linerate ${tool})
endforeach()
# Reports lie beside the program as they do where it is installed: ../share/linerate/reports.
set(share ${CMAKE_BINARY_DIR}/share/linerate)
add_custom_command(TARGET linerate POST_BUILD
  ${links}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${share}
  COMMAND ${CMAKE_COMMAND} -E create_symlink ${CMAKE_CURRENT_SOURCE_DIR}/reports ${share}/reports
  WORKING_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} VERBATIM)

install(TARGETS linerate RUNTIME DESTINATION bin)
install(DIRECTORY reports DESTINATION share/linerate PATTERN __pycache__ EXCLUDE)
# NAME_SUFFIX=_mpi make install: all_reduce_perf_mpi, as the environment says at that time.
install(CODE "
  foreach(tool IN ITEMS ${tools})
    set(link \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin/\${tool}\$ENV{NAME_SUFFIX})
    message(STATUS \"Linking: \${link}\")
    file(CREATE_LINK linerate \${link} SYMBOLIC)
  endforeach()")
