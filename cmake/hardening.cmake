# Protections against the exploitation of errors with memory, for all that is built; what is delivered is tested by
# packaging/hardening_test.sh. A build with sanitizers detects these errors itself, and the two disturb each other.

include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)

set(warpcheck_hardened no)
if(NOT WARPCHECK_HARDENING)
    return()
elseif(WARPCHECK_SANITIZE)
    set(warpcheck_hardened "no: not in a build with sanitizers")
    return()
endif()
set(warpcheck_hardened yes)

# Programs load at a random address. Without this check CMake does not tell the linker.
check_pie_supported(LANGUAGES C)

# warpcheck_harden(FLAG...): adds each flag that the compiler has.
function(warpcheck_harden)
    foreach(flag ${ARGN})
        string(MAKE_C_IDENTIFIER "WARPCHECK_HAS${flag}" has)
        check_c_compiler_flag(${flag} ${has})
        if(${has})
            target_compile_options(warpcheck_options INTERFACE ${flag})
        endif()
    endforeach()
endfunction()
warpcheck_harden(-fstack-protector-strong -fstack-clash-protection)
# Marked targets of indirect branches, and on aarch64 signed return addresses. A processor without them ignores the marks.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    warpcheck_harden(-fcf-protection=full)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    warpcheck_harden(-mbranch-protection=standard)
endif()

# The checked string functions of the C library need an optimised build. A packager's own level stays.
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug" AND NOT "${CMAKE_C_FLAGS}" MATCHES "_FORTIFY_SOURCE")
    target_compile_options(warpcheck_options INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()

# All addresses are resolved at the start, and then read-only.
foreach(flag -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
    string(MAKE_C_IDENTIFIER "WARPCHECK_HAS${flag}" has)
    check_linker_flag(C ${flag} ${has})
    if(${has})
        target_link_options(warpcheck_options INTERFACE ${flag})
    endif()
endforeach()
