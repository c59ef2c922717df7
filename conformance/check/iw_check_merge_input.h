#pragma once

#include <jansson.h>

#include "iw_check_merge_tally.h"
#include "iw_line_reader.h"

/* The results of one shard, which iw_check_merge reads twice: first the lines that only shards have, and then
 * the findings and streams. */

/* What a shard says about one capture. */
struct iw_check_merge_capture {
    json_t *object;                     /* the line "capture" */
    struct iw_check_counts counts;      /* from this line */
    struct iw_totals totals;            /* of all captures so far */
    uint64_t *ids[IW_CHECK_TRANSPORTS]; /* by transport, then by id: its order; then its final id */
    size_t id_count[IW_CHECK_TRANSPORTS];
};

struct iw_check_merge_input {
    char *path;
    struct iw_line_reader lines;
    json_t *head; /* the line "shard" */
    struct iw_check_shard shard;
    struct iw_check_merge_capture *captures;
    size_t capture_count;
    json_t *waivers; /* array of the lines "waiver" */
    bool complete;   /* the last line is "summary" */

    size_t capture; /* the capture of the next line, in the second reading */
    json_t *object; /* the current finding or stream; NULL: the capture has no more */
    struct iw_check_merge_tally tally;

    char *error; /* why a function failed: "PATH:LINE: reason", or "PATH: reason"; NULL: memory ran out */
};

/* Each function returns false and sets input->error on failure. */

/* Opens the file; a folder means its file results.jsonl. Close it in any case. */
bool iw_check_merge_input_open(struct iw_check_merge_input *input, const char *path);
void iw_check_merge_input_close(struct iw_check_merge_input *input);

/* Reads the lines that only shards have, and returns to the beginning of the file. */
bool iw_check_merge_input_read(struct iw_check_merge_input *input);

/* Begins the findings and streams of a capture. */
bool iw_check_merge_input_begin(struct iw_check_merge_input *input, size_t capture);

/* Reads the next finding or stream of the capture, whose order is input->tally.order. After the last one,
 * compares the numbers of lines with those that the line "capture" states. */
bool iw_check_merge_input_next(struct iw_check_merge_input *input);
