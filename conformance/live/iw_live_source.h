#pragma once

#include "iw_check.h"

/* Packets of network interfaces and of pipes, judged as they come. */

struct iw_live_source;

struct iw_live_source_config {
    /* Interfaces ("lo", "eth0", "any"); or "-" (standard input) or a path with '/': a capture that another
     * program writes to a pipe or FIFO. */
    const char *const *names;
    size_t count;
    const char *filter;   /* of libpcap, for the interfaces; NULL: every packet */
    uint32_t buffer;      /* octets for the packets of each interface that wait for this program */
    uint32_t duration_ms; /* 0: until iw_live_source_stop */
};

enum { IW_LIVE_SOURCES = 16, IW_LIVE_SOURCE_TEXT_OCTETS = 512 };

/* Opens all, at most IW_LIVE_SOURCES. On failure returns NULL with one line in `text`, of
 * IW_LIVE_SOURCE_TEXT_OCTETS octets. */
struct iw_live_source *iw_live_source_open(const struct iw_live_source_config *config, char *text);

/* Fills in `check`, for iw_check_files. Of packets that wait at several places, the oldest comes first. The
 * source ends when every pipe has ended and no interface is left, after iw_live_source_stop, or with an error
 * if an interface fails. */
void iw_live_source_init(struct iw_live_source *source, struct iw_check_source *check);

/* What has come so far. */
struct iw_live_counts {
    uint64_t packets;
    uint64_t octets;  /* of the packets, as captured */
    uint64_t lost;    /* packets that the system or an interface dropped */
    uint64_t time_ns; /* of the latest packet */
};
struct iw_live_counts iw_live_source_counts(const struct iw_live_source *source);

/* Returns which input, by its place among the names, gave the latest packet, and its name. */
size_t iw_live_source_latest(const struct iw_live_source *source, const char **name);

/* Ends the source 50 ms later, when it has given what was captured before. May be called in a handler of a
 * signal. */
void iw_live_source_stop(struct iw_live_source *source);

/* NULL is allowed. */
void iw_live_source_close(struct iw_live_source *source);
