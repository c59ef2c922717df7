#include "iw_alert.h"

/* Polls at most this long for the next octets. Sleeping and waking up takes about 5 microseconds, so with a
 * slower peer sleeping is better. */
enum { WATCH_NS = 50000 };

/* After this many reads from one port, the other ports and the timers are served. */
enum { ROUNDS_MAX = 64 };

/* After n polls in a row that found nothing, the loop sleeps without polling for 2^n - 1 iterations; n is at
 * most this. */
enum { VAIN_MAX = 10 };

/* Something was sent after the last read, so an answer may be on its way. */
static bool alert_expects_answer(const struct iw_alert *alert) {
    return alert->last.sent != NULL && *alert->last.sent != alert->sent;
}

/* Returns whether there was something to read. */
static bool alert_try_read(struct iw_alert *alert) {
    uint64_t sent = *alert->last.sent; /* taken before the read, so that an answer sent during the read counts
                                          as sent after it */

    if (!alert->last.read(alert->last.user))
        return false;
    alert->sent = sent;
    return true;
}

/* Reads while an answer is expected, until nothing has come for WATCH_NS. Returns the number of reads that
 * found something. */
static unsigned alert_watch(struct iw_alert *alert) {
    uint64_t since = uv_hrtime();
    unsigned rounds = 0;

    while (alert_expects_answer(alert) && !*alert->stopping && rounds < ROUNDS_MAX) {
        if (alert_try_read(alert)) {
            since = uv_hrtime();
            rounds++;
        } else if (uv_hrtime() - since >= WATCH_NS) {
            break;
        }
    }
    return rounds;
}

static void alert_on_prepare(uv_prepare_t *prepare) {
    struct iw_alert *alert = prepare->data;

    if (alert_expects_answer(alert) && alert->skipped_rounds > 0) {
        alert->skipped_rounds--;
    } else if (alert_expects_answer(alert)) {
        if (alert_watch(alert) > 0) {
            alert->vain_watches = 0;
            uv_update_time(prepare->loop);
        } else {
            alert->vain_watches += alert->vain_watches < VAIN_MAX;
            alert->skipped_rounds = (1u << alert->vain_watches) - 1;
        }
    }
    alert->last.sent = NULL;
    alert->several = false;
}

void iw_alert_init(struct iw_alert *alert, uv_loop_t *loop, const bool *stopping) {
    uv_prepare_init(loop, &alert->prepare);
    uv_unref((uv_handle_t *)&alert->prepare);
    alert->prepare.data = alert;
    alert->stopping = stopping;
}

void iw_alert_start(struct iw_alert *alert) {
    uv_prepare_start(&alert->prepare, alert_on_prepare);
}

void iw_alert_note(struct iw_alert *alert, const struct iw_alert_source *source) {
    alert->several |= alert->last.sent != NULL && alert->last.user != source->user;
    alert->last = *source;
    if (alert->several)
        alert->last.sent = NULL;
    alert->sent = *source->sent;
}

void iw_alert_forget(struct iw_alert *alert, const void *user) {
    if (alert->last.user == user)
        alert->last.sent = NULL;
}
