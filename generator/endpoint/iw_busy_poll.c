#include "iw_loop_state.h"

/* Polls at most this long. Sleep and wake-up take about 5 microseconds: little, with a slower peer. */
enum { WATCH_NS = 50000 };

/* After this many reads from one port, the loop serves the other ports and the timers. */
enum { ROUNDS_MAX = 64 };

/* After n polls in a row without octets (n: at most this), the loop skips 2^n - 1 polls. */
enum { VAIN_MAX = 10 };

/* Whether octets were sent after the last read, so that an answer may be on its way. */
static bool busy_poll_expects_answer(const struct iw_busy_poll *poll) {
    return poll->last.sent != NULL && *poll->last.sent != poll->sent;
}

static bool busy_poll_try_read(struct iw_busy_poll *poll) {
    uint64_t sent = *poll->last.sent; /* octets sent by the next call count as sent after the read */

    if (!poll->last.read(poll->last.user))
        return false;
    poll->sent = sent;
    return true;
}

/* Reads while an answer is expected, within WATCH_NS and ROUNDS_MAX. Returns how often it found octets. */
static unsigned busy_poll_watch(struct iw_busy_poll *poll) {
    uint64_t since = uv_hrtime();
    unsigned rounds = 0;

    while (busy_poll_expects_answer(poll) && !*poll->stopping && rounds < ROUNDS_MAX) {
        if (busy_poll_try_read(poll)) {
            since = uv_hrtime();
            rounds++;
        } else if (uv_hrtime() - since >= WATCH_NS) {
            break;
        }
    }
    return rounds;
}

static void busy_poll_on_prepare(uv_prepare_t *prepare) {
    struct iw_busy_poll *poll = prepare->data;

    if (busy_poll_expects_answer(poll) && poll->skipped_rounds > 0) {
        poll->skipped_rounds--;
    } else if (busy_poll_expects_answer(poll)) {
        if (busy_poll_watch(poll) > 0) {
            poll->vain_polls = 0;
            uv_update_time(prepare->loop);
        } else {
            poll->vain_polls += poll->vain_polls < VAIN_MAX;
            poll->skipped_rounds = (1u << poll->vain_polls) - 1;
        }
    }
    poll->last.sent = NULL;
    poll->several = false;
}

void iw_busy_poll_init(struct iw_busy_poll *poll, uv_loop_t *loop, const bool *stopping) {
    uv_prepare_init(loop, &poll->prepare);
    uv_unref((uv_handle_t *)&poll->prepare);
    poll->prepare.data = poll;
    poll->stopping = stopping;
}

void iw_busy_poll_start(struct iw_busy_poll *poll) {
    uv_prepare_start(&poll->prepare, busy_poll_on_prepare);
}

void iw_busy_poll_note(struct iw_busy_poll *poll, const struct iw_busy_poll_source *source) {
    poll->several |= poll->last.sent != NULL && poll->last.user != source->user;
    poll->last = *source;
    if (poll->several)
        poll->last.sent = NULL;
    poll->sent = *source->sent;
}

void iw_busy_poll_forget(struct iw_busy_poll *poll, const void *user) {
    if (poll->last.user == user)
        poll->last.sent = NULL;
}
