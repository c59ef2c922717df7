#pragma once

#include "iw_opcode.h"

/* The values that iw_extensions_parse accepts, as text for users. */
#define IW_EXTENSIONS_TAKES                                                                                  \
    "none, default, all, or some of 7306, talpey, talpey5 and storm, separated by commas"

/* Parses names separated by commas, and combines their extensions: "none", "all", "default" (IW_EXT_DEFAULT),
 * and the documents "7306", "talpey" and "storm". "talpey5" is "talpey" with a 5-bit opcode in every message,
 * as in the figure of the draft. Returns false and leaves `extensions` unchanged if a name is unknown. */
bool iw_extensions_parse(const char *text, unsigned *extensions);

/* Returns the name of an extension for iw_extensions_parse, "none" for IW_EXT_BASE; or NULL. */
const char *iw_extensions_name(enum iw_extension extension);
