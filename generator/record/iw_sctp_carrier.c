#include "iw_sctp_carrier.h"

#include <stdlib.h>
#include <string.h>

#include "iw_mpa_sctp_map.h"
#include "iw_mpa.h"
#include "iw_name.h"
#include "iw_sctp_writer.h"

struct iw_sctp_carrier {
    struct iw_sctp_writer writer;
    struct iw_sctp_carrier_handlers handlers;
    struct iw_sctp_state state;
    struct iw_mpa mpa;
    char *comment;
    uint16_t ssn[2]; /* of the side's next chunk */
    bool session;    /* a DDP Stream Session exists: an Initiate was sent */
    bool rejected;   /* the session was rejected */
    bool closed[2];  /* the side sent FIN */
    bool over;       /* the association has ended */
    enum iw_status status;
    uint8_t octets[IW_MPA_SCTP_MAP_OCTETS_MAX];
};

/* Writes `length` octets as one DATA chunk, truncated to the largest packet, and reports it. */
static void carrier_put(struct iw_sctp_carrier *carrier, enum iw_side side, uint32_t ppid, size_t length) {
    size_t whole = length < IW_SCTP_WRITER_OCTETS_MAX ? length : IW_SCTP_WRITER_OCTETS_MAX;
    struct iw_sctp_message message = {
        .side = side, .ppid = ppid, .length = (uint32_t)whole, .octets = carrier->octets};

    carrier->ssn[side]++;
    carrier->status = iw_sctp_writer_data(&carrier->writer, &message);
    if (carrier->handlers.message != NULL)
        carrier->handlers.message(carrier->handlers.user, &message);
}

static void carrier_carry_equivalent(struct iw_sctp_carrier *carrier, const struct iw_llp_event *event) {
    uint32_t ppid;
    size_t length = iw_mpa_sctp_map_sctp(event, carrier->ssn[event->side], carrier->octets, &ppid);

    if (length == 0)
        return;
    if (event->kind == IW_LLP_STARTUP) {
        carrier->session = true;
        carrier->rejected |= event->startup->key == IW_STARTUP_REPLY && event->startup->header.r;
    }
    carrier_put(carrier, event->side, ppid, length);
}

static void carrier_end(struct iw_sctp_carrier *carrier, enum iw_side side, bool abort) {
    carrier->status = abort ? iw_sctp_writer_abort(&carrier->writer, side)
                            : iw_sctp_writer_shutdown(&carrier->writer, side);
    carrier->over = true;
    if (carrier->handlers.end != NULL)
        carrier->handlers.end(carrier->handlers.user,
            abort ? IW_SESSION_END_ABORT : IW_SESSION_END_ASSOCIATION, side,
            iw_recorder_last_frame(carrier->writer.recorder), carrier->writer.time_ns);
}

/* Writes the Terminate as the last chunk of a session's side (RFC 5043 6.2), but not after a Reject (6.3). */
static void carrier_take_close(struct iw_sctp_carrier *carrier, const struct iw_llp_event *event) {
    enum iw_side side = event->side;

    if (event->close == IW_LLP_CLOSE_INPUT)
        return;
    if (event->close == IW_LLP_CLOSE_ABORTIVE) {
        carrier_end(carrier, side, true);
        return;
    }
    if (carrier->session && !carrier->rejected)
        carrier_put(carrier, side, IW_SCTP_PPID_CONTROL,
            iw_mpa_sctp_map_control(IW_SCTP_TERMINATE, carrier->ssn[side], NULL, 0, carrier->octets));
    carrier->closed[side] = true;
    if (carrier->closed[iw_side_other(side)])
        carrier_end(carrier, iw_side_other(side), false);
}

static void carrier_take_event(void *user, const struct iw_llp_event *event) {
    struct iw_sctp_carrier *carrier = user;

    if (carrier->over || carrier->status != IW_OK)
        return;
    switch (event->kind) {
    case IW_LLP_STARTUP:
    case IW_LLP_SEGMENT:
        carrier_carry_equivalent(carrier, event);
        break;
    case IW_LLP_CLOSE:
        carrier_take_close(carrier, event);
        break;
    case IW_LLP_LOSS:
    case IW_LLP_CONTROL:
        break;
    }
}

struct iw_sctp_carrier *iw_sctp_carrier_new(struct iw_recorder *recorder,
    const struct iw_tcp_address addresses[2], const uint32_t tsn[2],
    const struct iw_sctp_carrier_handlers *handlers) {
    const struct iw_mpa_config config = {.expected = true};
    struct iw_sctp_carrier *carrier = calloc(1, sizeof *carrier);

    if (carrier == NULL)
        return NULL;
    carrier->handlers = *handlers;
    if (iw_sctp_writer_init(&carrier->writer, recorder, addresses, tsn) != IW_OK) {
        free(carrier);
        return NULL;
    }
    iw_mpa_init(&carrier->mpa, &config, carrier_take_event, carrier);
    return carrier;
}

void iw_sctp_carrier_free(struct iw_sctp_carrier *carrier) {
    if (carrier == NULL)
        return;
    iw_sctp_writer_dispose(&carrier->writer);
    iw_mpa_dispose(&carrier->mpa);
    free(carrier->comment);
    free(carrier);
}

const struct iw_sctp_state *iw_sctp_carrier_state(const struct iw_sctp_carrier *carrier) {
    return &carrier->state;
}

enum iw_status iw_sctp_carrier_comment(struct iw_sctp_carrier *carrier, const char *comment) {
    char *copy = comment == NULL ? NULL : strdup(comment);

    if (comment != NULL && copy == NULL)
        return IW_ERR_NOMEM;
    free(carrier->comment);
    carrier->comment = copy;
    carrier->writer.comment = copy;
    return IW_OK;
}

enum iw_status iw_sctp_carrier_chunk(struct iw_sctp_carrier *carrier, const struct iw_chunk *chunk) {
    carrier->writer.time_ns = chunk->time_ns;
    if (chunk->kind == IW_CHUNK_START && chunk->side == IW_SIDE_A)
        carrier->status = iw_sctp_writer_init_chunk(&carrier->writer, &carrier->state);
    else if (chunk->kind == IW_CHUNK_START)
        carrier->status = iw_sctp_writer_accept(&carrier->writer, &carrier->state);
    iw_mpa_feed(&carrier->mpa, chunk);
    return carrier->status;
}
