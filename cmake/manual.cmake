# cmake -DPROGRAM=warpcheck [-DAGENT=warpcheck-agent] -DFOLDER=DIR -P manual.cmake: writes the manual pages DIR/manN/NAME.N, and
# completion DIR/bash/NAME, DIR/zsh/_NAME, DIR/fish/NAME.fish, as the programs print them. PROGRAM and AGENT may be lists: an
# emulator and its arguments come first.
cmake_minimum_required(VERSION 3.25)

# write(FILE COMMAND...): writes what the command prints.
function(write file)
    execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
    file(WRITE ${FOLDER}/${file} "${text}")
    set(text "${text}" PARENT_SCOPE)
endfunction()

write(man1/warpcheck.1 ${PROGRAM} help --format man)
# The page of the program refers to all others.
string(REPLACE "\\-" "-" text "${text}")
string(REGEX MATCHALL "warpcheck-[a-z-]+\\\\fR\\([157]\\)" pages "${text}")
foreach(page ${pages})
    string(REGEX MATCH "^warpcheck-[a-z-]+" name "${page}")
    string(REGEX MATCH "[157]" section "${page}")
    if(NOT name STREQUAL "warpcheck-agent")
        write(man${section}/${name}.${section} ${PROGRAM} help --format man ${name})
    endif()
endforeach()
foreach(shell bash zsh fish)
    set(bash_file warpcheck)
    set(zsh_file _warpcheck)
    set(fish_file warpcheck)
    if(shell STREQUAL "fish")
        set(end .fish)
    endif()
    write(${shell}/${${shell}_file}${end} ${PROGRAM} help --format ${shell})
    if(AGENT)
        write(${shell}/${${shell}_file}-agent${end} ${AGENT} --help=${shell})
    endif()
endforeach()
if(AGENT)
    write(man1/warpcheck-agent.1 ${AGENT} --help=man)
endif()
