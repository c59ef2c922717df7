#include "iw_connection.h"

#include <string.h>

#include "iw_file_memory.h"
#include "iw_side_name.h"

enum { CAPACITY_MIN = 8 };

/* Returns the number of changes up to this frame. */
static uint32_t connection_changes_until(const struct iw_connection_log *log, uint32_t frame) {
    uint32_t low = 0, high = log->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (log->changes[middle].frame <= frame)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void connection_log_set(struct iw_connection_log *log, uint32_t frame, uint64_t value) {
    uint32_t at = connection_changes_until(log, frame);

    if (at > 0 && log->changes[at - 1].frame == frame) {
        log->changes[at - 1].value = value;
        return;
    }
    if (log->count == log->capacity) {
        log->capacity = MAX(CAPACITY_MIN, 2 * log->capacity);
        log->changes = wmem_realloc(iw_file_memory(), log->changes, log->capacity * sizeof *log->changes);
    }
    memmove(&log->changes[at + 1], &log->changes[at], (log->count - at) * sizeof *log->changes);
    log->changes[at] = (struct iw_connection_change){value, frame};
    log->count++;
}

/* Keeps the lowest frame, as events do not come in the order of their frames. */
static void connection_mark(uint32_t *mark, const struct iw_llp_event *llp) {
    if (*mark == 0 || llp->frame < *mark)
        *mark = (uint32_t)llp->frame;
}

static void connection_close(struct iw_connection *connection, const struct iw_llp_event *llp) {
    if (llp->close == IW_LLP_CLOSE_GRACEFUL)
        connection_mark(&connection->end_frame[IW_ENDING_GRACEFUL][llp->side], llp);
    else if (llp->close == IW_LLP_CLOSE_ABORTIVE)
        connection_mark(&connection->end_frame[IW_ENDING_RESET][llp->side], llp);
}

void iw_connection_event(
    struct iw_connection *connection, const struct iw_monitor_event *event, const struct iw_item *item) {
    const struct iw_llp_event *llp = event->llp;
    enum iw_side side = llp->side;

    if (llp->kind == IW_LLP_CLOSE)
        connection_close(connection, llp);
    else if (llp->kind == IW_LLP_LOSS)
        connection_mark(&connection->uncertain_frame, llp);
    else
        connection_log_set(&connection->exchanges, (uint32_t)llp->frame, llp->time_ns);
    if (llp->kind == IW_LLP_SEGMENT)
        connection_mark(&connection->fpdu_frame, llp);
    if (event->request != NULL)
        connection_log_set(&connection->waiting[side], (uint32_t)llp->frame, event->requests_waiting);
    else if (event->response != NULL)
        connection_log_set(
            &connection->waiting[iw_side_other(side)], (uint32_t)llp->frame, event->requests_waiting);
    if (event->response != NULL && !event->response->known)
        connection_mark(&connection->uncertain_frame, llp);
    if (event->terminate != NULL)
        connection_mark(&connection->end_frame[IW_ENDING_TERMINATE][side], llp);
    if (item != NULL && item->more->finding_count > 0 &&
        (connection->finding == NULL || item->frame < connection->finding_frame)) {
        connection->finding = &item->more->findings[0];
        connection->finding_frame = item->frame;
    }
}

/* The frame of the later startup frame settles the terms. */
bool iw_connection_settled(const struct iw_stored_flow *flow, uint32_t frame) {
    return flow->settled != NULL &&
           MAX(flow->startup_frame[IW_SIDE_A], flow->startup_frame[IW_SIDE_B]) <= frame;
}

bool iw_connection_waiting(
    const struct iw_stored_flow *flow, enum iw_side requester, uint32_t frame, uint32_t *waiting) {
    const struct iw_connection *connection = flow->connection;
    const struct iw_connection_log *log = &connection->waiting[requester];
    uint32_t changes = connection_changes_until(log, frame);

    *waiting = changes > 0 ? (uint32_t)log->changes[changes - 1].value : 0;
    return iw_connection_settled(flow, frame) &&
           (connection->uncertain_frame == 0 || frame < connection->uncertain_frame);
}

bool iw_connection_since(
    const struct iw_connection *connection, uint32_t frame, uint64_t time_ns, uint64_t *since_ns) {
    const struct iw_connection_log *log = &connection->exchanges;
    uint32_t before = connection_changes_until(log, frame - 1);

    if (before == 0 || log->changes[before - 1].value > time_ns)
        return false;
    *since_ns = time_ns - log->changes[before - 1].value;
    return true;
}

const char *iw_connection_side_name(const struct iw_connection *connection, enum iw_side side) {
    return iw_side_name(iw_role_of(&connection->terms, side), side);
}

/* ---- state ---- */

static bool connection_reached(uint32_t mark, uint32_t frame) {
    return mark != 0 && mark <= frame;
}

/* Returns the side with a mark up to this frame, the earlier one of two; -1 without one. */
static int connection_marked(const uint32_t mark[2], uint32_t frame) {
    bool a = connection_reached(mark[IW_SIDE_A], frame), b = connection_reached(mark[IW_SIDE_B], frame);

    if (a && b)
        return mark[IW_SIDE_A] <= mark[IW_SIDE_B] ? IW_SIDE_A : IW_SIDE_B;
    return a ? IW_SIDE_A : b ? IW_SIDE_B : -1;
}

/* The state of a connection that no side has begun to end. */
static const char *connection_open_state(const struct iw_stored_flow *flow, uint32_t frame) {
    if (iw_connection_settled(flow, frame))
        return "full operation";
    if (flow->settled == NULL && connection_reached(flow->connection->fpdu_frame, frame))
        return "full operation, startup not captured";
    return "startup";
}

static const char *connection_end_state(const struct iw_connection *connection, enum iw_ending ending,
    enum iw_side side, uint32_t frame, wmem_allocator_t *pool) {
    static const char *const states[] = {[IW_ENDING_GRACEFUL] = "half-closed",
        [IW_ENDING_RESET] = "reset",
        [IW_ENDING_TERMINATE] = "terminated"};

    if (ending == IW_ENDING_GRACEFUL && connection_reached(connection->end_frame[ending][IW_SIDE_A], frame) &&
        connection_reached(connection->end_frame[ending][IW_SIDE_B], frame))
        return "closed";
    return wmem_strdup_printf(pool, "%s by %s", states[ending], iw_connection_side_name(connection, side));
}

/* Of several ends up to this frame, the one counts that ends the connection for iw_diagnose. */
const char *iw_connection_state(const struct iw_stored_flow *flow, uint32_t frame, wmem_allocator_t *pool) {
    const struct iw_connection *connection = flow->connection;

    if (iw_connection_settled(flow, frame) && flow->settled->rejected)
        return "rejected";
    for (enum iw_ending ending = IW_ENDING_TERMINATE; ending > IW_ENDING_OPEN; ending--) {
        int side = connection_marked(connection->end_frame[ending], frame);

        if (side >= 0)
            return connection_end_state(connection, ending, (enum iw_side)side, frame, pool);
    }
    return connection_open_state(flow, frame);
}
