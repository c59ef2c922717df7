# What `cmake --install` installs, besides the plugin (dissector/). The components: cli, agent, plugin, docs, corpus.

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
    PATTERN "*_test.*" EXCLUDE PATTERN CMakeLists.txt EXCLUDE PATTERN capture.sh EXCLUDE PATTERN npm.sh EXCLUDE
    PATTERN "*.cjs" EXCLUDE PATTERN lake_expected.py EXCLUDE)
install(DIRECTORY conformance/dut/profiles DESTINATION ${CMAKE_INSTALL_DATADIR}/warpcheck COMPONENT docs
    FILES_MATCHING PATTERN "*.lua")
install(DIRECTORY conformance/report/policies DESTINATION ${CMAKE_INSTALL_DATADIR}/warpcheck COMPONENT docs
    FILES_MATCHING PATTERN "*.json")
install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT docs)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs COMPONENT docs
    FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "reports" EXCLUDE PATTERN "site" EXCLUDE)
if(warpcheck_site)
    install(DIRECTORY ${warpcheck_site}/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/html COMPONENT docs)
endif()

# The corpus, about 8 MB, is installed only if asked for: cmake --install BUILD --component corpus.
install(DIRECTORY captures/ DESTINATION ${CMAKE_INSTALL_DATADIR}/warpcheck/captures COMPONENT corpus EXCLUDE_FROM_ALL
    FILES_MATCHING PATTERN "*.pcap*" PATTERN "*.md" PATTERN "*.tsv")
