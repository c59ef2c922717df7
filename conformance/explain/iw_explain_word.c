#include "iw_explain_word.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "iw_show.h"

static size_t explain_file_of(const struct iw_check_chain *chain, uint64_t frame) {
    size_t file = chain->count - 1;

    while (file > 0 && chain->first[file] > frame)
        file--;
    return file;
}

const char *iw_explain_file(const struct iw_check_chain *chain, uint64_t frame) {
    return chain->paths[explain_file_of(chain, frame)];
}

const char *iw_explain_title(const char *path) {
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

uint64_t iw_explain_frame_number(const struct iw_check_chain *chain, uint64_t frame) {
    uint64_t first = chain->first[explain_file_of(chain, frame)];

    return first > 0 && frame > 0 ? frame - (first - 1) : frame;
}

const char *iw_explain_frame(
    const struct iw_check_chain *chain, uint64_t frame, char text[IW_EXPLAIN_FRAME_OCTETS]) {
    uint64_t number = iw_explain_frame_number(chain, frame);

    if (chain->count == 1)
        snprintf(text, IW_EXPLAIN_FRAME_OCTETS, "frame %" PRIu64, number);
    else
        snprintf(text, IW_EXPLAIN_FRAME_OCTETS, "frame %" PRIu64 " of %s", number,
            iw_explain_title(iw_explain_file(chain, frame)));
    iw_show_line(text, IW_EXPLAIN_FRAME_OCTETS, text); /* a file's name may have any octets */
    return text;
}

/* ---- times ---- */

const char *iw_explain_time(uint64_t ns, char text[IW_EXPLAIN_TIME_OCTETS]) {
    if (ns < 1000000000)
        snprintf(text, IW_EXPLAIN_TIME_OCTETS, "%.3f ms", (double)ns / 1e6);
    else
        snprintf(text, IW_EXPLAIN_TIME_OCTETS, "%.3f s", (double)ns / 1e9);
    return text;
}

const char *iw_explain_time_about(uint64_t ns, char text[IW_EXPLAIN_TIME_OCTETS]) {
    uint64_t unit = 1;

    while (ns / unit >= 100)
        unit *= 10;
    ns = (ns + unit / 2) / unit * unit;
    if (ns < 1000000000)
        snprintf(text, IW_EXPLAIN_TIME_OCTETS, "about %g ms", (double)ns / 1e6);
    else
        snprintf(text, IW_EXPLAIN_TIME_OCTETS, "about %g s", (double)ns / 1e9);
    return text;
}

const char *iw_explain_quantile(
    const struct iw_latency *latency, unsigned percent, char text[IW_EXPLAIN_TIME_OCTETS]) {
    uint64_t ns = iw_latency_at(latency, percent);
    bool slowest = latency->count * percent > (latency->count - 1) * 100; /* by nearest rank */

    return slowest ? iw_explain_time(ns, text) : iw_explain_time_about(ns, text);
}
