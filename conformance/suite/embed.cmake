# cmake -DOUTPUT=FILE.c "-DFILES=A.lua;B.lua" -P embed.cmake: writes the files as iw_builtins[] of iw_builtin.h.
set(texts "")
set(rows "")
set(number 0)
foreach(file IN LISTS FILES)
    get_filename_component(name ${file} NAME)
    file(READ ${file} octets HEX)
    string(REGEX REPLACE "(..)" "0x\\1," octets "${octets}")
    string(APPEND texts "static const char text_${number}[] = {${octets}0};\n")
    string(APPEND rows "    {\"${name}\", text_${number}, sizeof text_${number} - 1},\n")
    math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "#include \"iw_builtin.h\"\n\n${texts}\nconst struct iw_builtin iw_builtins[] = {\n${rows}};\n"
    "const size_t iw_builtin_count = ${number};\n")
