#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "iw_pcapng.h"
#include "iw_tail_queue.h"

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
    bool stopped;              /* nothing more is written */
    uint64_t limit;            /* octets of the file; 0: no limit */
    struct iw_tail_queue tail; /* the newest packets, if the limit keeps them from the file */
    uint64_t kept_octets;      /* of packets that were kept when they left `tail` */
    uint64_t shortened;        /* packets of which only the headers are in the file */
    bool full;                 /* the file takes no more packets */
    uint64_t missing;          /* packets since it is full */
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

/* The same for a file without an interface: iw_record_file_interface adds each before its first packet. */
bool iw_record_file_open_section(struct iw_record_file *file, const char *path, char *text);

/* Adds the next interface of the file; `name` may be NULL. Returns false if recording has stopped. */
bool iw_record_file_interface(struct iw_record_file *file, uint16_t link, uint32_t snaplen, const char *name);

/* Sets the function that is called, once, if recording stops. A closed pipe is reported only by
 * iw_record_file_close: its reader may end the recording that way. */
void iw_record_file_tell(struct iw_record_file *file, iw_record_trouble *trouble, void *user);

/* Adds a packet in the file's byte order; ignores `packet->order`. Returns false if recording has stopped. */
bool iw_record_file_packet(struct iw_record_file *file, const struct iw_pcapng_packet *packet);

/* Limits the file to about as many octets. Half of them are for the first packets. Of the packets after them,
 * the last ones have a quarter, those marked by iw_record_file_keep an eighth; all others are shortened to
 * their headers, so that the number of a packet stays its position in the file. If even they need too much,
 * later packets are missing. The last packets are in the file only after iw_record_file_close. */
void iw_record_file_limit(struct iw_record_file *file, uint64_t octets);

/* Marks the packet with that number, from 1, as important: it is not shortened if the limit permits. */
void iw_record_file_keep(struct iw_record_file *file, uint64_t number);

/* Stops recording because of an error elsewhere, and reports `reason`. */
void iw_record_file_stop(struct iw_record_file *file, const char *reason);

/* Closes the file. Returns false if recording had stopped: `text` (or NULL) then has the reason, or is empty
 * if the reason was already reported. */
bool iw_record_file_close(struct iw_record_file *file, char *text);
