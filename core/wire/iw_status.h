#ifndef IW_STATUS_H
#define IW_STATUS_H

/* Trouble with the environment or with the caller's arguments. What a peer does wrong on the wire is never a
 * status: it is a value that the monitor judges. */
enum iw_status {
    IW_OK = 0,
    IW_ERR_NOMEM = -1, /* out of memory */
    IW_ERR_IO =
        -2, /* reading, writing or connecting failed; the caller finds the reason in errno or a message */
    IW_ERR_FORMAT = -3,    /* a file is not in the format it should be in */
    IW_ERR_TRUNCATED = -4, /* a file ends in the middle of a record */
    IW_ERR_LIMIT = -5,     /* a stated limit was reached */
    IW_ERR_ARGUMENT = -6,  /* a value outside what the function takes */
};

#endif
