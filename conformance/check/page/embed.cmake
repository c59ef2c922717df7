# cmake -DOUTPUT=FILE.c -DFOLDER=FOLDER -P embed.cmake: writes page.html of FOLDER, with page.css and page.js and their hashes
# in their places, as iw_page_template of iw_page.h. The page's policy allows what has these hashes and nothing else.

# Sets `name` to "sha256-..." of the text, in base64, as Content-Security-Policy has it.
function(source_hash name text)
    set(alphabet "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    string(SHA256 digits "${text}")
    set(base64 "")
    # 32 octets: ten times three, then two.
    foreach(at RANGE 0 60 6)
        string(SUBSTRING "${digits}00" ${at} 6 group)
        math(EXPR bits "0x${group}")
        foreach(shift 18 12 6 0)
            math(EXPR index "(${bits} >> ${shift}) & 63")
            string(SUBSTRING "${alphabet}" ${index} 1 letter)
            string(APPEND base64 "${letter}")
        endforeach()
    endforeach()
    string(SUBSTRING "${base64}" 0 43 base64)
    set(${name} "sha256-${base64}=" PARENT_SCOPE)
endfunction()

file(READ ${FOLDER}/page.html page)
file(READ ${FOLDER}/page.css style)
file(READ ${FOLDER}/page.js script)
source_hash(style_hash "${style}")
source_hash(script_hash "${script}")
string(REPLACE "{{style-hash}}" "${style_hash}" page "${page}")
string(REPLACE "{{script-hash}}" "${script_hash}" page "${page}")
string(REPLACE "{{style}}" "${style}" page "${page}")
string(REPLACE "{{script}}" "${script}" page "${page}")
string(HEX "${page}" octets)
string(REGEX REPLACE "(..)" "0x\\1," octets "${octets}")
file(WRITE ${OUTPUT} "#include \"iw_page.h\"\n\nconst char iw_page_template[] = {${octets}0};\n")
