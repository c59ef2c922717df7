#include "iw_progress.h"

#include <inttypes.h>

#include "iw_show.h"

enum { INTERVAL_NS = 200000000 };

void iw_progress_show(struct iw_progress *progress, uint64_t frames, uint64_t octets, uint64_t now_ns) {
    if (progress->out == NULL || now_ns - progress->shown_ns < INTERVAL_NS)
        return;
    progress->shown_ns = now_ns;
    progress->visible = true;
    fputc('\r', progress->out);
    iw_show_name(progress->out, progress->what);
    fputs(": ", progress->out);
    if (progress->total > 0)
        fprintf(progress->out, "%u%%, ",
            octets >= progress->total ? 99 : (unsigned)((double)octets / (double)progress->total * 100));
    fprintf(progress->out, "%" PRIu64 " frames\x1b[K", frames);
    fflush(progress->out);
}

void iw_progress_clear(struct iw_progress *progress) {
    if (!progress->visible)
        return;
    fputs("\r\x1b[K", progress->out);
    fflush(progress->out);
    progress->visible = false;
}
