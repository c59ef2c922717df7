#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_capture_unread.h"
#include "iw_check_shard.h"

/* The origin of a file that `warpcheck split` has written. The file has a section for each file of the split
 * capture, in their order, and one after the last. The comment of a section header is the text below, and
 * tells which file the section is from and how the file before it ended. The id of a packet
 * (epb_packetid) is its frame number in the whole capture. */

struct iw_check_origin {
    struct iw_check_shard shard;
    uint64_t files;    /* number of files of the capture */
    uint64_t file;     /* index of the file; `files`: the capture ends here */
    uint64_t before;   /* frames of all files before this one */
    const char *path;  /* path of the file, as given to `split`; NULL at the end of the capture */
    const char *error; /* why the file before this one could not be read to its end; NULL: it was */
    int status;        /* enum iw_status of that error */
    struct iw_capture_unread unread; /* packets of the file before this one with an unread link type */
};

/* Returns the comment, which the caller must free; NULL if memory runs out or `path` is not UTF-8. */
char *iw_check_origin_write(const struct iw_check_origin *origin);

/* Reads a comment. Its texts are valid until iw_check_origin_clear. Returns false if it is not one. */
struct iw_check_origin_text {
    struct iw_check_origin origin;
    void *json; /* owns the texts */
};
bool iw_check_origin_read(struct iw_check_origin_text *text, const char *comment, size_t octets);
void iw_check_origin_clear(struct iw_check_origin_text *text);

/* Reads the first comment of the file at `path`. Returns whether the file is a shard, and sets *shard and
 * *files. False for a path that can be read only once. */
bool iw_check_origin_find(const char *path, struct iw_check_shard *shard, uint64_t *files);
