# Settings shared by all targets of the project.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Kind of build" FORCE)
endif()
# Without NDEBUG: assertions also detect our own bugs in the field. With -O3 the functions of an FPDU's path call each other less:
# the checker executes 4 % fewer instructions than with -O2, and takes 7 % less time for small FPDUs.
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O3 -g")
set(CMAKE_C_FLAGS_RELEASE "-O3")

find_package(PkgConfig REQUIRED)
# warpcheck_library(PREFIX PACKAGE OPTION MODULE...): PkgConfig::PREFIX is the library, or libraries, that pkg-config knows as
# MODULE. PACKAGE is its name in Debian; OPTION, unless "", is the option that can leave out what needs it.
macro(warpcheck_library prefix package option)
    pkg_check_modules(${prefix} QUIET IMPORTED_TARGET ${ARGN})
    if(NOT ${prefix}_FOUND)
        set(warpcheck_hint "")
        if(NOT "${option}" STREQUAL "")
            set(warpcheck_hint ", or do without: -D ${option}=OFF")
        endif()
        message(FATAL_ERROR "missing: ${ARGN}; install it (Debian: ${package})${warpcheck_hint}")
    endif()
endmacro()
if(BUILD_TESTING)
    warpcheck_library(CMOCKA libcmocka-dev BUILD_TESTING cmocka)
endif()
# From 2.0 on cmocka prefers other names, which 1.1 lacks, and takes numbers as signed.
if(BUILD_TESTING AND CMOCKA_VERSION VERSION_GREATER_EQUAL 2)
    target_compile_options(PkgConfig::CMOCKA INTERFACE -Wno-deprecated-declarations -Wno-sign-conversion)
endif()

add_library(warpcheck_options INTERFACE)
target_compile_definitions(warpcheck_options INTERFACE _POSIX_C_SOURCE=200809L _DEFAULT_SOURCE)
target_compile_options(warpcheck_options INTERFACE
    -Wall -Wextra -Wconversion -fno-common -fvisibility=hidden)
# A unity build compiles a layer as one source, in a quarter of the time: for builds that only continuous integration needs. So names
# of file scope are unique within a layer. The other builds judge each file alone: its includes, and what its names hide.
if(NOT CMAKE_UNITY_BUILD)
    target_compile_options(warpcheck_options INTERFACE -Wshadow)
endif()
set(CMAKE_UNITY_BUILD_BATCH_SIZE 0)
# Assertions and debug information name sources from the top of the tree, so that the folder of the build changes no octet. Reports
# of sanitizers name whole paths, for editors.
if(NOT WARPCHECK_SANITIZE)
    set(warpcheck_map -ffile-prefix-map=${CMAKE_SOURCE_DIR}/= -ffile-prefix-map=${CMAKE_BINARY_DIR}=.)
    target_compile_options(warpcheck_options INTERFACE ${warpcheck_map})
    target_link_options(warpcheck_options INTERFACE ${warpcheck_map}) # for optimisation as a whole
endif()
if(WARPCHECK_SANITIZE STREQUAL "thread")
    # ThreadSanitizer ignores fences; the only one, of RDMA Flush, orders memory for a peer and not for another thread.
    target_compile_options(warpcheck_options INTERFACE -fsanitize=thread -fno-omit-frame-pointer
        $<$<C_COMPILER_ID:GNU>:-Wno-tsan>)
    target_link_options(warpcheck_options INTERFACE -fsanitize=thread)
elseif(WARPCHECK_SANITIZE)
    target_compile_options(warpcheck_options INTERFACE
        -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(warpcheck_options INTERFACE -fsanitize=address,undefined)
    # A program with a fixed address: otherwise the sanitizers' 400,000 addresses, which are relocated at each start, take a quarter
    # of the time of a short run.
    if(NOT WARPCHECK_FUZZ)
        set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
        target_compile_options(warpcheck_options INTERFACE $<$<NOT:$<BOOL:$<TARGET_PROPERTY:POSITION_INDEPENDENT_CODE>>>:-fno-pie>)
        target_link_options(warpcheck_options INTERFACE $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
    endif()
endif()
if(WARPCHECK_FUZZ)
    target_compile_options(warpcheck_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
# warpcheck_whole(TARGET) optimises a delivered program as a whole: an FPDU passes through all layers, and
# Wireshark's own code evicts ours from the processor's caches between two FPDUs. Functions are aligned to cache lines (the
# checker takes 5 to 8 % less time for small FPDUs), jumps and loops are not. One partition keeps functions that call each other
# together (5 %). The objects contain both forms, so that the many tests link as usual.
if(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo" AND CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT WARPCHECK_SANITIZE)
    target_compile_options(warpcheck_options INTERFACE
        $<$<NOT:$<BOOL:$<TARGET_PROPERTY:WARPCHECK_TEST>>>:-flto=auto$<SEMICOLON>-ffat-lto-objects>
        -falign-functions=64 -fno-align-jumps -fno-align-loops -fno-plt)
    target_link_options(warpcheck_options INTERFACE
        $<IF:$<BOOL:$<TARGET_PROPERTY:WARPCHECK_WHOLE>>,-flto=auto$<SEMICOLON>-flto-partition=one,-fno-lto>)
endif()
# Do not copy members that were just stored one by one with one wide load: it stalls until all stores have reached the cache.
# And do not clear the few cache lines of an FPDU with `rep stos`, GCC's choice: it starts more slowly than plain stores.
if(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
    target_compile_options(warpcheck_options INTERFACE -fno-tree-slp-vectorize)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo" AND CMAKE_C_COMPILER_ID STREQUAL "GNU" AND
        CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    target_compile_options(warpcheck_options INTERFACE
        -mmemset-strategy=vector_loop:256:noalign,libcall:-1:noalign)
endif()
function(warpcheck_whole target)
    set_property(TARGET ${target} PROPERTY WARPCHECK_WHOLE ON)
endfunction()

# warpcheck_layer(NAME SOURCES... [USES TARGETS...]): a layer is a static library, and its folder is its include directory.
# Only targets that link a layer see its headers. A layer uses only layers defined before it: never a higher one, and there are
# no cycles.
function(warpcheck_layer name)
    cmake_parse_arguments(ARG "" "" "SOURCES;USES" ${ARGN})
    foreach(used ${ARG_USES})
        if(NOT TARGET ${used})
            message(FATAL_ERROR "${name} uses ${used}, which is no target, or one of a layer above it")
        endif()
    endforeach()
    foreach(source ${ARG_SOURCES})
        get_filename_component(module ${source} NAME_WE)
        get_property(other GLOBAL PROPERTY warpcheck_module_${module})
        if(other)
            message(FATAL_ERROR "${name} has a module ${module}, and so has ${other}: one prefix is one thing")
        endif()
        set_property(GLOBAL PROPERTY warpcheck_module_${module} ${name})
        # In a unity build, the macro would come after the first system header, and generated sources share names.
        set(own_macro generated)
        if(NOT IS_ABSOLUTE ${source})
            file(STRINGS ${source} own_macro REGEX "^#define _GNU_SOURCE")
        endif()
        if(own_macro)
            set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
        endif()
    endforeach()
    add_library(${name} STATIC ${ARG_SOURCES})
    target_include_directories(${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
    target_link_libraries(${name} PUBLIC ${ARG_USES} PRIVATE warpcheck_options)
endfunction()

# Tests are many programs, and each of them is linked with most of core: mold takes half the time of the usual linker.
set(warpcheck_test_linker "")
if(BUILD_TESTING)
    include(CheckLinkerFlag)
    check_linker_flag(C -fuse-ld=mold WARPCHECK_HAS_MOLD)
    if(WARPCHECK_HAS_MOLD)
        set(warpcheck_test_linker -fuse-ld=mold)
    endif()
endif()

# warpcheck_test(LAYER MODULE...): makes MODULE_test.c beside MODULE.c a cmocka program run by ctest, labelled with
# the first folder of its path, such as core. Only what it tests is optimised as delivered, not the test itself.
function(warpcheck_test layer)
    if(NOT BUILD_TESTING)
        return()
    endif()
    file(RELATIVE_PATH folder ${warpcheck_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
    string(REGEX REPLACE "/.*" "" folder ${folder})
    foreach(module ${ARGN})
        add_executable(${module}_test ${module}_test.c)
        set_property(TARGET ${module}_test PROPERTY WARPCHECK_TEST ON)
        if(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
            # With -O1, GCC sees too little of a function for this warning.
            target_compile_options(${module}_test PRIVATE -O1 -Wno-maybe-uninitialized)
        endif()
        target_link_libraries(${module}_test PRIVATE ${layer} warpcheck_options PkgConfig::CMOCKA)
        target_link_options(${module}_test PRIVATE ${warpcheck_test_linker})
        target_compile_definitions(${module}_test PRIVATE WARPCHECK_SOURCE_DIR="${warpcheck_SOURCE_DIR}")
        add_test(NAME ${module} COMMAND ${module}_test)
        set_tests_properties(${module} PROPERTIES LABELS ${folder})
    endforeach()
endfunction()

# warpcheck_starts_often(TEST...): tests that start the program hundreds of times in the same few ways. The search for leaks takes
# half of such a start with sanitizers, so it is left to the tests beside them.
function(warpcheck_starts_often)
    if(WARPCHECK_SANITIZE)
        set_property(TEST ${ARGN} APPEND PROPERTY ENVIRONMENT LSAN_OPTIONS=detect_leaks=0)
    endif()
endfunction()

# warpcheck_exhaustive(MODULE...): labels tests that repeat the same steps with thousands of inputs. An emulated processor (cross.sh)
# does not run them: a byte order or a size that is wrong fails with the first input, so with the tests beside them.
function(warpcheck_exhaustive)
    if(BUILD_TESTING)
        set_property(TEST ${ARGN} APPEND PROPERTY LABELS exhaustive)
    endif()
endfunction()

# warpcheck_upward_include(LAYER OWN UPPER): proves that LAYER sees its own header OWN but not UPPER, a header of a higher
# layer.
function(warpcheck_upward_include layer own upper)
    if(NOT BUILD_TESTING)
        return()
    endif()
    set(compile ${CMAKE_C_COMPILER} -std=c11 -fsyntax-only -x c /dev/null)
    set(includes "$<JOIN:$<TARGET_PROPERTY:${layer},INTERFACE_INCLUDE_DIRECTORIES>,$<SEMICOLON>-I>")
    add_test(NAME includes_${layer}_own COMMAND ${compile} -include ${own} "-I${includes}" COMMAND_EXPAND_LISTS)
    add_test(NAME includes_${layer}_upward COMMAND ${compile} -include ${upper} "-I${includes}" COMMAND_EXPAND_LISTS)
    set_tests_properties(includes_${layer}_upward PROPERTIES
        PASS_REGULAR_EXPRESSION "fatal error: '?${upper}'?.*(No such file or directory|file not found)")
endfunction()
