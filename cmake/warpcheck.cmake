# What every target of the project has in common.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Without NDEBUG: an assertion is the last line against a bug of our own, in the field too.
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g")

find_package(PkgConfig REQUIRED)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
# From 2.0 on cmocka prefers other names, which 1.1 has not, and takes numbers as signed.
if(CMOCKA_VERSION VERSION_GREATER_EQUAL 2)
    target_compile_options(PkgConfig::CMOCKA INTERFACE -Wno-deprecated-declarations -Wno-sign-conversion)
endif()

add_library(warpcheck_options INTERFACE)
target_compile_definitions(warpcheck_options INTERFACE _POSIX_C_SOURCE=200809L _DEFAULT_SOURCE)
target_compile_options(warpcheck_options INTERFACE
    -Wall -Wextra -Wconversion -Wshadow -Werror -fno-common -fvisibility=hidden)
if(WARPCHECK_SANITIZE)
    target_compile_options(warpcheck_options INTERFACE
        -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(warpcheck_options INTERFACE -fsanitize=address,undefined)
endif()
if(WARPCHECK_FUZZ)
    target_compile_options(warpcheck_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
# What is delivered, warpcheck_whole(TARGET), is optimised as a whole and for little space: an FPDU's way goes through all
# floors, and Wireshark's own code has pushed it out of the processor's caches since the FPDU before. Each function begins a
# cache line (the checker takes 5 to 8 % less time for small FPDUs); jumps and loops are not aligned. One partition instead of
# several keeps functions that call each other together (5 %). The objects hold both forms, so that the many tests are linked as
# ever.
if(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo" AND CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT WARPCHECK_SANITIZE)
    target_compile_options(warpcheck_options INTERFACE -flto=auto -ffat-lto-objects
        -falign-functions=64 -fno-align-jumps -fno-align-loops -fno-plt)
    target_link_options(warpcheck_options INTERFACE
        $<IF:$<BOOL:$<TARGET_PROPERTY:WARPCHECK_WHOLE>>,-flto=auto$<SEMICOLON>-flto-partition=one,-fno-lto>)
endif()
# Members that were stored one by one a moment ago are not to be copied as one: such a load waits until all stores have
# reached the cache. And what is cleared for each FPDU is a few cache lines: `rep stos`, which GCC takes for that, takes
# longer to start than stores take to do it.
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

# warpcheck_floor(NAME SOURCES... [USES TARGETS...]): one floor = one static library = one include root.
# The headers of a floor are seen by those who link it and by nobody else. It stands on what is there before it, so that
# none can look up, and none is part of a circle.
function(warpcheck_floor name)
    cmake_parse_arguments(ARG "" "" "SOURCES;USES" ${ARGN})
    foreach(used ${ARG_USES})
        if(NOT TARGET ${used})
            message(FATAL_ERROR "${name} uses ${used}, which is no target, or one of a floor above it")
        endif()
    endforeach()
    foreach(source ${ARG_SOURCES})
        get_filename_component(module ${source} NAME_WE)
        get_property(other GLOBAL PROPERTY warpcheck_module_${module})
        if(other)
            message(FATAL_ERROR "${name} has a module ${module}, and so has ${other}: one prefix is one thing")
        endif()
        set_property(GLOBAL PROPERTY warpcheck_module_${module} ${name})
    endforeach()
    add_library(${name} STATIC ${ARG_SOURCES})
    target_include_directories(${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
    target_link_libraries(${name} PUBLIC ${ARG_USES} PRIVATE warpcheck_options)
endfunction()

# warpcheck_test(FLOOR MODULE...): MODULE_test.c beside MODULE.c becomes a cmocka program run by ctest.
function(warpcheck_test floor)
    foreach(module ${ARGN})
        add_executable(${module}_test ${module}_test.c)
        target_link_libraries(${module}_test PRIVATE ${floor} warpcheck_options PkgConfig::CMOCKA)
        target_compile_definitions(${module}_test PRIVATE WARPCHECK_SOURCE_DIR="${warpcheck_SOURCE_DIR}")
        add_test(NAME ${module} COMMAND ${module}_test)
    endforeach()
endfunction()

# warpcheck_upward_include(FLOOR OWN UPPER): proves that FLOOR sees its own header OWN and cannot see UPPER, a header of
# a floor above it.
function(warpcheck_upward_include floor own upper)
    set(compile ${CMAKE_C_COMPILER} -std=c11 -fsyntax-only -x c /dev/null)
    set(includes "$<JOIN:$<TARGET_PROPERTY:${floor},INTERFACE_INCLUDE_DIRECTORIES>,$<SEMICOLON>-I>")
    add_test(NAME includes_${floor}_own COMMAND ${compile} -include ${own} "-I${includes}" COMMAND_EXPAND_LISTS)
    add_test(NAME includes_${floor}_upward COMMAND ${compile} -include ${upper} "-I${includes}" COMMAND_EXPAND_LISTS)
    set_tests_properties(includes_${floor}_upward PROPERTIES
        PASS_REGULAR_EXPRESSION "fatal error: '?${upper}'?.*(No such file or directory|file not found)")
endfunction()
