#ifndef IW_LOAD_MIX_H
#define IW_LOAD_MIX_H

#include <stdbool.h>
#include <stddef.h>

/* The operations of a load and their proportions. */

enum iw_load_op {
    IW_LOAD_WRITE,
    IW_LOAD_READ,
    IW_LOAD_SEND,
    IW_LOAD_ATOMIC, /* FetchAdd */
    IW_LOAD_FLUSH,  /* to global visibility */
    IW_LOAD_VERIFY, /* without an expected hash */
    IW_LOAD_ATOMIC_WRITE,
    IW_LOAD_OP_COUNT,
};

/* "write" and so on. */
const char *iw_load_op_name(enum iw_load_op op);

struct iw_load_mix {
    unsigned weights[IW_LOAD_OP_COUNT];
    long credits[IW_LOAD_OP_COUNT]; /* saved up so far */
};

/* Reads "write=70,read=20,send=10", or "send" alone. Weights are 1 to 1,000,000; names left out get 0. On
 * failure returns false with a line in `error`. */
bool iw_load_mix_parse(const char *text, struct iw_load_mix *mix, char *error, size_t error_octets);

/* The next operation: spread as evenly as the weights allow, the same in every run. At least one weight
 * must not be 0. */
enum iw_load_op iw_load_mix_next(struct iw_load_mix *mix);

#endif
