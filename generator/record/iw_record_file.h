#ifndef IW_RECORD_FILE_H
#define IW_RECORD_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "iw_pcapng.h"

/* A pcapng file while it is written. Each block goes to the system at once, in one call: what is there of it
 * when the program is killed does not depend on any buffer of ours. What cannot be written whole is taken
 * back, and nothing is written after it: the file ends with the last packet that had room. */

enum { IW_RECORD_FILE_TEXT_OCTETS = 512 };

/* A line that starts with the file's path. */
typedef void iw_record_trouble(void *user, const char *text);

struct iw_record_file {
    int descriptor; /* -1: none is open */
    char *path;
    enum iw_pcapng_order order;
    off_t whole; /* octets of all blocks so far */
    uint64_t packets;
    uint8_t *block; /* the one being made; grows with the largest */
    size_t room;
    bool stopped; /* nothing more is written */
    bool told;
    char text[IW_RECORD_FILE_TEXT_OCTETS]; /* why */
    iw_record_trouble *trouble;            /* or NULL */
    void *user;
};

/* Creates or overwrites the file at `path`, with the head of a capture of that link type and snaplen
 * (iw_pcapng_head). False with a line in `text` (of IW_RECORD_FILE_TEXT_OCTETS octets) if that cannot be. To
 * be closed in any case. */
bool iw_record_file_open(
    struct iw_record_file *file, const char *path, uint16_t link, uint32_t snaplen, char *text);

/* Who is told, once, when the file has stopped. A reader of a pipe that is gone is not told of before the
 * end: it may be how it ends the recording. */
void iw_record_file_tell(struct iw_record_file *file, iw_record_trouble *trouble, void *user);

/* Adds a packet; its order is that of the file. False: the file has stopped. */
bool iw_record_file_packet(struct iw_record_file *file, const struct iw_pcapng_packet *packet);

/* Nothing more is written, for a reason that is none of the file's. */
void iw_record_file_stop(struct iw_record_file *file, const char *reason);

/* Closes. False if it has stopped before; `text` (or NULL) is empty then if that has been told, and else the
 * line. */
bool iw_record_file_close(struct iw_record_file *file, char *text);

#endif
