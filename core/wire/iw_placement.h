#pragma once

/* Where the linker places functions. Judging an FPDU takes about as much code as the processor's cache for
 * instructions holds (32 KiB), so code that does not run for each FPDU must not lie between code that does.
 */

/* Marks a function that a connection without loss or fault hardly ever calls: the compiler places it, and
 * the branches to it, away from the code that runs for each FPDU. */
#define IW_COLD __attribute__((cold))

/* Marks a function that runs for each packet or FPDU and is too large to be inlined: these are placed one
 * after the other. */
#define IW_HOT __attribute__((hot))
