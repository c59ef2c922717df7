# cmake -DOUTPUT=FILE.c -DHEADER=FILE.h -DNAME=NAME "-DFILES=A.lua;B.lua" -P embed.cmake: writes the files as rows of struct
# iw_builtin, NAMEs[], and their number, NAME_count. The header declares both.
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
file(WRITE ${OUTPUT} "#include \"${HEADER}\"\n\n${texts}\nconst struct iw_builtin ${NAME}s[] = {\n${rows}};\n"
    "const size_t ${NAME}_count = ${number};\n")
