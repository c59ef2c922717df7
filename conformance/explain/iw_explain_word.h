#pragma once

#include "iw_check.h"
#include "iw_latency.h"

/* Frames, files and times in words, for all forms of a story. */

/* Writes "frame 7", or "frame 7 of FILE" if the capture has several files. */
enum { IW_EXPLAIN_FRAME_OCTETS = 512 };
const char *iw_explain_frame(
    const struct iw_check_chain *chain, uint64_t frame, char text[IW_EXPLAIN_FRAME_OCTETS]);

/* The name of a file for people: "standard input" for "-". */
const char *iw_explain_title(const char *path);

/* The file that has frame `frame` of the capture, and its number in that file. */
const char *iw_explain_file(const struct iw_check_chain *chain, uint64_t frame);
uint64_t iw_explain_frame_number(const struct iw_check_chain *chain, uint64_t frame);

/* Writes a time such as "2.000 ms" or "31.027 s"; `about`: with two digits, as "about 10 ms". */
enum { IW_EXPLAIN_TIME_OCTETS = 40 };
const char *iw_explain_time(uint64_t ns, char text[IW_EXPLAIN_TIME_OCTETS]);
const char *iw_explain_time_about(uint64_t ns, char text[IW_EXPLAIN_TIME_OCTETS]);

/* Writes the quantile `percent`: exact if it is the slowest, otherwise with "about", as the true value may be
 * up to 1/8 less. */
const char *iw_explain_quantile(
    const struct iw_latency *latency, unsigned percent, char text[IW_EXPLAIN_TIME_OCTETS]);
