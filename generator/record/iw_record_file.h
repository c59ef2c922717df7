#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "iw_pcapng.h"

/* A pcapng file being written. Each block goes to the system at once, so a killed program loses nothing in
 * buffers. A write error removes the partial block (not from a pipe) and stops the recording. */

enum { IW_RECORD_FILE_TEXT_OCTETS = 512 };

/* Reports why recording has stopped. `text`: a line that starts with the file's path. */
typedef void iw_record_trouble(void *user, const char *text);

struct iw_record_file {
    int descriptor; /* -1: closed */
    char *path;
    enum iw_pcapng_order order;
    off_t whole; /* octets of all complete blocks */
    uint64_t packets;
    uint8_t *block; /* buffer for the current block; grows with the largest */
    uint32_t capacity;
    bool stopped; /* nothing more is written */
    bool reported;
    char text[IW_RECORD_FILE_TEXT_OCTETS]; /* why it stopped */
    iw_record_trouble *trouble;            /* or NULL */
    void *user;
};

/* Creates or overwrites the file at `path` with the head for that link type and snaplen (iw_pcapng_head). On
 * failure returns false with a line in `text`, of IW_RECORD_FILE_TEXT_OCTETS octets, and removes a file whose
 * head it could not write. Call iw_record_file_close even after a failure. */
bool iw_record_file_open(
    struct iw_record_file *file, const char *path, uint16_t link, uint32_t snaplen, char *text);

/* Sets the function that is called, once, if recording stops. A closed pipe is reported only by
 * iw_record_file_close: its reader may end the recording that way. */
void iw_record_file_tell(struct iw_record_file *file, iw_record_trouble *trouble, void *user);

/* Adds a packet in the file's byte order; ignores `packet->order`. Returns false if recording has stopped. */
bool iw_record_file_packet(struct iw_record_file *file, const struct iw_pcapng_packet *packet);

/* Stops recording because of an error elsewhere, and reports `reason`. */
void iw_record_file_stop(struct iw_record_file *file, const char *reason);

/* Closes the file. Returns false if recording had stopped: `text` (or NULL) then has the reason, or is empty
 * if the reason was already reported. */
bool iw_record_file_close(struct iw_record_file *file, char *text);
