#ifndef IW_COLD_H
#define IW_COLD_H

/* Marks a function that a connection without loss or fault hardly ever calls: the compiler places it, and
 * the branches to it, away from the code that runs for each FPDU. */
#define IW_COLD __attribute__((cold))

#endif
