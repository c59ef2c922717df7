#ifndef IW_EXTENSIONS_H
#define IW_EXTENSIONS_H

#include <stdbool.h>

#include "iw_opcode.h"

/* What iw_extensions_parse reads, for people. */
#define IW_EXTENSIONS_TAKES                                                                                  \
    "none, default, all, or some of 7306, talpey, talpey5 and storm, separated by commas"

/* Reads "none", "all", "default" (IW_EXT_DEFAULT), or names of documents separated by commas: "7306",
 * "talpey", "storm". "talpey5" is "talpey" with the opcode 5 bits wide in every message, as the draft draws
 * it. Returns false, and leaves `extensions` unchanged, if `text` is anything else. */
bool iw_extensions_parse(const char *text, unsigned *extensions);

/* The name by which iw_extensions_parse knows a document, "none" for the base; NULL if it knows none. */
const char *iw_extensions_name(enum iw_extension extension);

#endif
