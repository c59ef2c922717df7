# What `cmake --install` installs, besides the plugin (dissector/). The corpus is installed only if it is named.
set(warpcheck_components cli docs corpus)
if(TARGET warpcheck-agent)
    list(APPEND warpcheck_components agent)
endif()
if(warpcheck_plugin_built)
    list(APPEND warpcheck_components plugin)
endif()
# Each has the licence, because each may be passed on alone. That of docs is beside README.md, which names it.
foreach(component ${warpcheck_components})
    if(component STREQUAL "docs")
        install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT docs)
        continue()
    endif()
    set(optional "")
    if(component STREQUAL "corpus")
        set(optional EXCLUDE_FROM_ALL)
    endif()
    install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/licenses/warpcheck-${component} COMPONENT ${component} ${optional})
endforeach()

install(TARGETS warpcheck RUNTIME COMPONENT cli)
if(TARGET warpcheck-agent)
    install(TARGETS warpcheck-agent RUNTIME COMPONENT agent)
endif()

# Manual pages and completion: each belongs to the program it is about, the pages about files and protocols to the documentation.
set(WARPCHECK_ZSH_DIR ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING
    "Where completion in zsh is installed; packages of Debian use share/zsh/vendor-completions")
function(warpcheck_install_manual component program pattern)
    install(DIRECTORY ${warpcheck_manual}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT ${component}
        FILES_MATCHING REGEX "/${pattern}\\.1$")
    install(FILES ${warpcheck_manual}/bash/${program} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        COMPONENT ${component})
    install(FILES ${warpcheck_manual}/zsh/_${program} DESTINATION ${WARPCHECK_ZSH_DIR} COMPONENT ${component})
    install(FILES ${warpcheck_manual}/fish/${program}.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
        COMPONENT ${component})
endfunction()
if(warpcheck_manual)
    warpcheck_install_manual(cli warpcheck "warpcheck(-([b-z]|a[^g])[a-z-]*)?")
    if(TARGET warpcheck-agent)
        warpcheck_install_manual(agent warpcheck-agent warpcheck-agent)
    endif()
    install(DIRECTORY ${warpcheck_manual}/man5 ${warpcheck_manual}/man7 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT docs)
endif()

# The examples of scripts, profiles and policies are copies: the program contains what it needs.
install(DIRECTORY generator/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/warpcheck COMPONENT docs
    FILES_MATCHING PATTERN "*.lua")
install(DIRECTORY recipes DESTINATION ${CMAKE_INSTALL_DATADIR}/warpcheck COMPONENT docs USE_SOURCE_PERMISSIONS
    PATTERN "*_test.*" EXCLUDE PATTERN "*.md" EXCLUDE PATTERN CMakeLists.txt EXCLUDE PATTERN capture.sh EXCLUDE PATTERN npm.sh EXCLUDE
    PATTERN "*.cjs" EXCLUDE PATTERN lake_expected.py EXCLUDE)
install(DIRECTORY conformance/dut/profiles DESTINATION ${CMAKE_INSTALL_DATADIR}/warpcheck COMPONENT docs
    FILES_MATCHING PATTERN "*.lua")
install(DIRECTORY conformance/report/policies DESTINATION ${CMAKE_INSTALL_DATADIR}/warpcheck COMPONENT docs
    FILES_MATCHING PATTERN "*.json")
# The pages keep their places in the project, so that their links work.
foreach(file ${warpcheck_pages} ${warpcheck_linked})
    get_filename_component(folder ${file} DIRECTORY)
    install(FILES ${file} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder} COMPONENT docs)
endforeach()
if(warpcheck_site)
    install(DIRECTORY ${warpcheck_site}/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/html COMPONENT docs)
endif()

# The corpus, about 8 MB: cmake --install BUILD --component corpus.
install(DIRECTORY captures/ DESTINATION ${CMAKE_INSTALL_DATADIR}/warpcheck/captures COMPONENT corpus EXCLUDE_FROM_ALL
    FILES_MATCHING PATTERN "*.pcap*" PATTERN "*.md" PATTERN "*.tsv")
