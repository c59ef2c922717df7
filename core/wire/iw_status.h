#pragma once

/* Errors of the environment or of the caller. A peer's protocol error is a value for the monitor to judge. */
enum iw_status {
    IW_OK = 0,
    IW_ERR_NOMEM = -1,     /* out of memory */
    IW_ERR_IO = -2,        /* reading, writing or connecting failed; errno or a message has the reason */
    IW_ERR_FORMAT = -3,    /* a file does not have the expected format */
    IW_ERR_TRUNCATED = -4, /* a file ends in the middle of a record */
    IW_ERR_LIMIT = -5,     /* a stated limit was reached */
    IW_ERR_ARGUMENT = -6,  /* an argument has an invalid value */
};
