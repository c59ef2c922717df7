# The Wireshark versions that the plugin is built for and tested with: the installed one, and those of
# WARPCHECK_WIRESHARK_TREES, folders made by scripts/wireshark-tree.sh. The target warpcheck_wireshark_VERSION is a version's
# headers, as system headers, because our warning options do not suit them.

set(WARPCHECK_WIRESHARK_TREES "" CACHE STRING "Trees of other versions of Wireshark, as scripts/wireshark-tree.sh makes them")
set(warpcheck_wireshark_supported 4.0 4.4 4.6)

# Debian's development package contains a CMake package up to 4.4, and only a pkg-config file from 4.6 on.
find_package(Wireshark CONFIG QUIET)
if(Wireshark_FOUND)
    set(warpcheck_wireshark_installed ${Wireshark_MAJOR_VERSION}.${Wireshark_MINOR_VERSION})
    add_library(warpcheck_wireshark_${warpcheck_wireshark_installed} INTERFACE)
    target_link_libraries(warpcheck_wireshark_${warpcheck_wireshark_installed} INTERFACE epan)
    target_include_directories(warpcheck_wireshark_${warpcheck_wireshark_installed} SYSTEM INTERFACE
        ${Wireshark_INCLUDE_DIR})
else()
    pkg_check_modules(WIRESHARK QUIET IMPORTED_TARGET wireshark)
    if(NOT WIRESHARK_FOUND)
        message(FATAL_ERROR "missing: the development files of Wireshark 4.0 or later; install them (Debian: libwireshark-dev), name "
            "their folder in CMAKE_PREFIX_PATH or PKG_CONFIG_PATH, or do without: -D WARPCHECK_WIRESHARK=OFF")
    endif()
    string(REGEX MATCH "^[0-9]+\\.[0-9]+" warpcheck_wireshark_installed ${WIRESHARK_VERSION})
    add_library(warpcheck_wireshark_${warpcheck_wireshark_installed} INTERFACE)
    target_link_libraries(warpcheck_wireshark_${warpcheck_wireshark_installed} INTERFACE PkgConfig::WIRESHARK)
endif()
set(warpcheck_wireshark_versions ${warpcheck_wireshark_installed})

# The plugin links nothing of a tree: the Wireshark that loads it resolves its symbols.
foreach(tree ${WARPCHECK_WIRESHARK_TREES})
    if(NOT EXISTS ${tree}/complete)
        message(STATUS "No Wireshark in ${tree}: scripts/wireshark-tree.sh makes it")
        continue()
    endif()
    file(STRINGS ${tree}/usr/include/wireshark/ws_version.h numbers REGEX "define WIRESHARK_VERSION_M(AJ|IN)OR ")
    string(REGEX REPLACE "[^0-9]+([0-9]+)[^0-9]+([0-9]+)" "\\1.\\2" version "${numbers}")
    if(version IN_LIST warpcheck_wireshark_versions)
        continue()
    endif()
    file(GLOB glib ${tree}/usr/include/glib-2.0 ${tree}/usr/lib/*/glib-2.0/include)
    add_library(warpcheck_wireshark_${version} INTERFACE)
    target_include_directories(warpcheck_wireshark_${version} SYSTEM INTERFACE ${tree}/usr/include/wireshark ${glib})
    set(warpcheck_wireshark_tree_${version} ${tree})
    list(APPEND warpcheck_wireshark_versions ${version})
endforeach()

# warpcheck_plugin(NAME SOURCES... USES TARGETS...): the plugin NAME for the installed Wireshark, and NAME_VERSION for each tree,
# in the places below WIRESHARK_PLUGIN_DIR (the current build folder) where tshark looks for plugins.
function(warpcheck_plugin name)
    cmake_parse_arguments(ARG "" "" "SOURCES;USES" ${ARGN})
    foreach(version ${warpcheck_wireshark_versions})
        set(target ${name}_${version})
        if(version STREQUAL warpcheck_wireshark_installed)
            set(target ${name})
        endif()
        add_library(${target} MODULE ${ARG_SOURCES})
        target_link_libraries(${target} PRIVATE ${ARG_USES} warpcheck_wireshark_${version} warpcheck_options)
        warpcheck_whole(${target})
        target_compile_definitions(${target} PRIVATE WARPCHECK_VERSION="${warpcheck_VERSION}")
        set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${name}
            LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${version}/epan)
    endforeach()
endfunction()

# warpcheck_tshark_test(NAME COMMAND...): a test that runs scripts/tshark.sh. NAME uses the installed version, NAME_VERSION the
# tree of each other version (environment variable WIRESHARK); skipped without the tree. A version between the oldest and the newest
# has no interface that both lack: its tests have the label "between", except those that compare all that the plugin shows.
set(warpcheck_tests_of_every_version corpus examples explanation iw_plugin)
function(warpcheck_tshark_test name)
    list(GET warpcheck_wireshark_supported -1 newest)
    add_test(NAME ${name} COMMAND ${ARGN})
    set_tests_properties(${name} PROPERTIES ENVIRONMENT BUILD=${CMAKE_BINARY_DIR})
    foreach(version ${warpcheck_wireshark_supported})
        if(version STREQUAL warpcheck_wireshark_installed)
            continue()
        elseif(DEFINED warpcheck_wireshark_tree_${version})
            set(label between)
            if(version STREQUAL newest OR name IN_LIST warpcheck_tests_of_every_version)
                set(label versions)
            endif()
            add_test(NAME ${name}_${version} COMMAND ${ARGN})
            set_tests_properties(${name}_${version} PROPERTIES LABELS ${label}
                ENVIRONMENT "BUILD=${CMAKE_BINARY_DIR};WIRESHARK=${warpcheck_wireshark_tree_${version}}")
        else()
            add_test(NAME ${name}_${version} COMMAND sh -c
                "echo 'not available: Wireshark ${version}: skipped; scripts/versions.sh fetches it'; exit 77")
            set_tests_properties(${name}_${version} PROPERTIES LABELS "versions;absent" SKIP_RETURN_CODE 77)
        endif()
    endforeach()
endfunction()
