# cmake -DOUTPUT=FILE.c -DSYMBOL=NAME -DHEADER=NAME.h -DPAGE=FILE.html -DSTYLE=FILE.css -DSCRIPT=FILE.js -P embed.cmake: writes
# the page, with its style and its script and their hashes in their places, as the text SYMBOL, which HEADER declares. The
# page's policy allows what has these hashes and nothing else.

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

file(READ ${PAGE} page)
file(READ ${STYLE} style)
file(READ ${SCRIPT} script)
source_hash(style_hash "${style}")
source_hash(script_hash "${script}")
string(REPLACE "{{style-hash}}" "${style_hash}" page "${page}")
string(REPLACE "{{script-hash}}" "${script_hash}" page "${page}")
string(REPLACE "{{style}}" "${style}" page "${page}")
string(REPLACE "{{script}}" "${script}" page "${page}")
string(HEX "${page}" octets)
string(REGEX REPLACE "(..)" "0x\\1," octets "${octets}")
file(WRITE ${OUTPUT} "#include \"${HEADER}\"\n\nconst char ${SYMBOL}[] = {${octets}0};\n")
