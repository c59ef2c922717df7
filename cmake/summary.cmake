# What this build has, in a few lines at the end of the configuration.

set(warpcheck_with_plugin no)
if(warpcheck_plugin_built)
    set(warpcheck_with_plugin "for Wireshark ${warpcheck_wireshark_installed}")
elseif(WARPCHECK_WIRESHARK)
    set(warpcheck_with_plugin "no: not in a build with sanitizers")
endif()
if(WARPCHECK_AGENT_TLS AND warpcheck_with_agent STREQUAL "yes")
    set(warpcheck_with_agent "yes, with TLS")
endif()
foreach(part SCTP ISAL SCREEN HTTP)
    set(warpcheck_with_${part} no)
    if(WARPCHECK_${part})
        set(warpcheck_with_${part} yes)
    endif()
endforeach()
set(warpcheck_with_tests no)
if(BUILD_TESTING)
    set(warpcheck_with_tests yes)
endif()
set(warpcheck_with_manual "no: a build for another machine needs CMAKE_CROSSCOMPILING_EMULATOR")
if(warpcheck_manual)
    set(warpcheck_with_manual yes)
endif()
if(warpcheck_site)
    set(warpcheck_with_site yes)
elseif(CMAKE_CROSSCOMPILING)
    set(warpcheck_with_site "no: needs a build for this machine")
elseif(NOT WARPCHECK_PYTHON3 OR NOT WARPCHECK_MKDOCS)
    set(warpcheck_with_site "no: needs python3 and mkdocs")
else()
    set(warpcheck_with_site "no: WARPCHECK_SITE is ${WARPCHECK_SITE}")
endif()
set(warpcheck_note "")
if(warpcheck_plugin_built AND NOT CMAKE_INSTALL_PREFIX STREQUAL warpcheck_wireshark_prefix AND NOT IS_ABSOLUTE "${WARPCHECK_PLUGIN_DIR}")
    set(warpcheck_note "
     This Wireshark looks for plugins below ${warpcheck_wireshark_prefix} and in personal folders only: use that prefix, or
     scripts/install-plugin.sh.")
endif()
message(STATUS "warpcheck ${PROJECT_VERSION}, ${CMAKE_BUILD_TYPE}, ${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION} for ${CMAKE_SYSTEM_PROCESSOR}:
     Wireshark plugin             ${warpcheck_with_plugin}
     warpcheck-agent, for verbs   ${warpcheck_with_agent}
     test devices over SCTP       ${warpcheck_with_SCTP}
     CRC32C with ISA-L            ${warpcheck_with_ISAL}
     table of a watch, by ncurses ${warpcheck_with_SCREEN}
     page of a watch              ${warpcheck_with_HTTP}
     manual pages, completion     ${warpcheck_with_manual}
     documentation as a site      ${warpcheck_with_site}
     foreign files read confined  ${warpcheck_confines}
     hardened                     ${warpcheck_hardened}
     tests, benchmarks, fuzzing   ${warpcheck_with_tests}
     installed below              ${CMAKE_INSTALL_PREFIX}${warpcheck_note}")
