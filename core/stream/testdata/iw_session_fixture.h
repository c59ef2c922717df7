#pragma once

/* For the tests of DDP over SCTP: short ways to make user data. */

#include <string.h>

#include "iw_sctp.h"

enum { IW_SESSION_FIXTURE_OCTETS_MAX = 2048 };

/* An association whose INIT and INIT ACK were captured in frames 1 and 2, without errors. */
static inline struct iw_sctp_state iw_session_fixture_state(void) {
    return (struct iw_sctp_state){
        .setup = {{.frame = 1, .indicated = true, .indication = 1, .outbound = 8, .inbound = 8},
            {.frame = 2, .ack = true, .indicated = true, .indication = 1, .outbound = 8, .inbound = 8}}};
}

struct iw_session_fixture {
    uint8_t octets[IW_SESSION_FIXTURE_OCTETS_MAX];
    struct iw_sctp_message message;
    uint64_t frame; /* of the latest */
    uint32_t tsn;   /* of the next */
};

/* User data of a DDP-SSN and these octets, with the next frame and TSN. */
static inline const struct iw_sctp_message *iw_session_fixture(struct iw_session_fixture *fixture,
    enum iw_side side, uint16_t stream, uint32_t ppid, uint16_t ssn, const void *octets, uint32_t count) {
    fixture->octets[0] = (uint8_t)(ssn >> 8);
    fixture->octets[1] = (uint8_t)ssn;
    if (count > 0)
        memcpy(fixture->octets + 2, octets, count);
    fixture->frame++;
    fixture->message = (struct iw_sctp_message){.side = side,
        .stream = stream,
        .ppid = ppid,
        .tsn = fixture->tsn++,
        .length = 2 + count,
        .captured = 2 + count,
        .octets = fixture->octets,
        .frame = fixture->frame,
        .first_frame = fixture->frame,
        .time_ns = fixture->frame * 1000};
    return &fixture->message;
}

/* A DDP Stream Session Control chunk with this Function Code, followed by `octets` octets (RFC 5043
 * 5.2.3). */
static inline const struct iw_sctp_message *iw_session_fixture_control(struct iw_session_fixture *fixture,
    enum iw_side side, uint16_t stream, uint16_t ssn, uint8_t function, uint32_t octets) {
    uint8_t control[IW_SESSION_FIXTURE_OCTETS_MAX - 2];

    memset(control, 'p', sizeof control);
    control[0] = 0;
    control[1] = function;
    if (function >= 5) /* enhanced data: A=1, B=1, IRD 2, C=1, D=1, ORD 2 (RFC 6581 9) */
        memcpy(control + 2, (const uint8_t[]){0xc0, 0x02, 0xc0, 0x02}, 4);
    return iw_session_fixture(fixture, side, stream, IW_SCTP_PPID_CONTROL, ssn, control, 2 + octets);
}

/* A DDP Segment Chunk with an RDMA Write of four octets (RFC 5041 4.1, RFC 5040 4.3). */
static inline const struct iw_sctp_message *iw_session_fixture_write(
    struct iw_session_fixture *fixture, enum iw_side side, uint16_t stream, uint16_t ssn) {
    static const uint8_t write[] = {
        0xc1, 0x40, 0x11, 0x22, 0x33, 0x44, 0, 0, 0, 1, 0, 0, 0x20, 0, 'd', 'a', 't', 'a'};

    return iw_session_fixture(fixture, side, stream, IW_SCTP_PPID_SEGMENT, ssn, write, sizeof write);
}
