#ifndef IW_CONVERSATION_FILE_H
#define IW_CONVERSATION_FILE_H

#include "iw_conversation.h"
#include "iw_status.h"

/* Reads conversations from a capture file. */

struct iw_conversation_choice {
    uint64_t connection; /* number of the iWARP connection, from 1; 0: unspecified */
    bool by_stream;      /* or select the TCP connection number `stream`, from 0 */
    uint64_t stream;
};

struct iw_conversation_count {
    uint64_t connections; /* iWARP connections over TCP in the file */
    uint64_t tcp_flows;
    bool sctp; /* the file contains SCTP */
};

/* Reads the conversation that `choice` selects (by default the first) into `conversation`; the caller
 * disposes of it in every case. `count` returns what the file contains. IW_ERR_ARGUMENT: no such
 * conversation. Otherwise as iw_capture_file_open, with one line in `error`. */
enum iw_status iw_conversation_read(const char *path, const struct iw_conversation_choice *choice,
    struct iw_conversation *conversation, struct iw_conversation_count *count, char *error,
    size_t error_octets);

#endif
