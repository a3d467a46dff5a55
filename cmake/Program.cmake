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

install(TARGETS linerate RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY reports DESTINATION share/linerate
  PATTERN __pycache__ EXCLUDE PATTERN pyproject.toml EXCLUDE PATTERN alone.py EXCLUDE)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
configure_file(packaging/modulefile.lua.in generated/${PROJECT_VERSION}.lua @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/generated/${PROJECT_VERSION}.lua
  DESTINATION share/linerate/modulefiles/linerate)
# NAME_SUFFIX=_mpi make install: all_reduce_perf_mpi, as the environment says at that time.
install(CODE "
  foreach(tool IN ITEMS ${tools})
    set(link \${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/\${tool}\$ENV{NAME_SUFFIX})
    message(STATUS \"Linking: \${link}\")
    file(CREATE_LINK linerate \$ENV{DESTDIR}\${link} SYMBOLIC)
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES \${link})
  endforeach()")

# Man pages and completions, which the program itself writes. Sanitizers' builds are not installed.
if(LINERATE_SANITIZE OR CMAKE_CROSSCOMPILING)
  return()
endif()
set(texts ${CMAKE_BINARY_DIR}/texts)
add_custom_command(OUTPUT ${texts}/written DEPENDS linerate VERBATIM
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${texts}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${texts}/man1
  COMMAND linerate docs man ${texts}/man1
  COMMAND sh -c "for shell in bash zsh fish; do \"$0\" docs completion $shell > \"$1/$shell\"; done"
    $<TARGET_FILE:linerate> ${texts}
  COMMAND ${CMAKE_COMMAND} -E touch ${texts}/written)
add_custom_target(texts ALL DEPENDS ${texts}/written)
add_dependencies(tools texts)
install(DIRECTORY ${texts}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
set(vendor ${CMAKE_INSTALL_DATADIR})
install(FILES ${texts}/zsh DESTINATION ${vendor}/zsh/site-functions RENAME _linerate)
# bash and fish look for a file of the command's name.
foreach(program IN ITEMS linerate ${tools} train_ddp train_fsdp train_3d)
  install(FILES ${texts}/bash DESTINATION ${vendor}/bash-completion/completions RENAME ${program})
  install(FILES ${texts}/fish DESTINATION ${vendor}/fish/vendor_completions.d
    RENAME ${program}.fish)
endforeach()
