#ifndef IW_CONVERSATION_FILE_H
#define IW_CONVERSATION_FILE_H

#include "iw_conversation.h"
#include "iw_status.h"

/* Conversations of a capture file. */

struct iw_conversation_choice {
    uint64_t connection; /* the first, second, ... iWARP connection; 0: not said */
    bool by_stream;      /* or the TCP connection of that number, from 0 */
    uint64_t stream;
};

struct iw_conversation_count {
    uint64_t connections; /* iWARP connections over TCP in the file */
    uint64_t tcp_flows;
    bool sctp; /* there is SCTP in the file */
};

/* Reads the conversation that `choice` names, the first if it names none, into `conversation`, which is to be
 * disposed of whatever comes of it. What it may be chosen from goes to `count`. IW_ERR_ARGUMENT: there is no
 * such conversation. Otherwise as iw_capture_file_open, with a line in `error`. */
enum iw_status iw_conversation_read(const char *path, const struct iw_conversation_choice *choice,
    struct iw_conversation *conversation, struct iw_conversation_count *count, char *error,
    size_t error_octets);

#endif
