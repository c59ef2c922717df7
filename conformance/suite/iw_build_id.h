#pragma once

/* Which build of the program runs: two builds of one version may differ. */

enum { IW_BUILD_ID_OCTETS = 129 };

/* Writes the build id of the running program, in hexadecimal. The linker computes it from what it links, so
 * that equal programs have the same id. "": the program has none. */
void iw_build_id(char text[IW_BUILD_ID_OCTETS]);
