# cpack: .deb, .rpm and .tgz. linerate alone, and beside it what needs other libraries: a package
# for each backend's module, and the trainers.
set(CPACK_PACKAGE_NAME linerate)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The maintainers of linerate")
set(CPACK_PACKAGE_VENDOR "linerate")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Benchmarks and diagnosis of collective communication")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL linerate trainers)
foreach(backend IN ITEMS mpi gloo nccl)
  if(TARGET linerate-${backend})
    list(APPEND CPACK_COMPONENTS_ALL ${backend})
  endif()
endforeach()
if(NOT TARGET linerate-nccl)
  list(APPEND CPACK_COMPONENTS_ALL nccl)  # the tuner's plugin
endif()

# One archive of everything; the other generators read this file, too, once for each of them.
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_BINARY_DIR}/generated/package.cmake)
file(WRITE ${CPACK_PROJECT_CONFIG_FILE} [=[
if(CPACK_GENERATOR STREQUAL "TGZ")
  set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)  # one folder, named as the archive is
  set(CPACK_PACKAGING_INSTALL_PREFIX /)
endif()
]=])
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_ARCHIVE_FILE_NAME linerate-${PROJECT_VERSION}-${CMAKE_SYSTEM_PROCESSOR})

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_LINERATE_PACKAGE_NAME linerate)
set(CPACK_DEBIAN_LINERATE_PACKAGE_RECOMMENDS "python3, python3-matplotlib, python3-jinja2")
set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE "see LICENSE")
set(CPACK_RPM_MAIN_COMPONENT linerate)
set(CPACK_RPM_PACKAGE_AUTOREQ ON)
# Folders that every system has.
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION /usr/share/man /usr/share/man/man1
  /usr/share/zsh /usr/share/zsh/site-functions /usr/share/bash-completion
  /usr/share/bash-completion/completions /usr/share/fish /usr/share/fish/vendor_completions.d)
foreach(part IN ITEMS mpi gloo nccl trainers)
  string(TOUPPER ${part} key)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME linerate-${part})
  set(CPACK_DEBIAN_${key}_PACKAGE_DEPENDS "linerate (= ${PROJECT_VERSION})")
  set(CPACK_RPM_${key}_PACKAGE_REQUIRES "linerate = ${PROJECT_VERSION}")
endforeach()
include(CPack)
