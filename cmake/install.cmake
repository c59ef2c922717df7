# What `cmake --install` installs, besides the plugin (dissector/). The components: cli, agent, plugin, docs, corpus.

install(TARGETS warpcheck RUNTIME COMPONENT cli)
if(TARGET warpcheck-agent)
    install(TARGETS warpcheck-agent RUNTIME COMPONENT agent)
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
    FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "reports" EXCLUDE)

# The corpus, about 8 MB, is installed only if asked for: cmake --install BUILD --component corpus.
install(DIRECTORY captures/ DESTINATION ${CMAKE_INSTALL_DATADIR}/warpcheck/captures COMPONENT corpus EXCLUDE_FROM_ALL
    FILES_MATCHING PATTERN "*.pcap*" PATTERN "*.md" PATTERN "*.tsv")
