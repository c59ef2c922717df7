#pragma once

#include "iw_chunk.h"
#include "iw_layout.h"

/* One impairment of a relay: what it waits for, and what it does then. Example, in the vocabulary of the
 * impairments of a capture (iw_impairment.h):
 *
 *     at=rdma-read-response#3,direction=responder,flip=payload:0:0x80
 *
 * A unit is a startup frame or an FPDU, with the Markers in it and the one right before it. Positions in a
 * unit count its octets without Markers. */

enum iw_relay_unit_kind { IW_RELAY_UNIT_STARTUP, IW_RELAY_UNIT_FPDU, IW_RELAY_UNIT_OPCODE };

/* What an FPDU must have. */
enum iw_relay_condition {
    IW_RELAY_WITH_PAYLOAD = 1 << 0, /* payload, or as a Read Request a size above 0 */
    IW_RELAY_WITH_MESSAGE = 1 << 1, /* a whole message: its only segment */
};

enum iw_relay_action {
    IW_RELAY_FLIP = 1 << 0,    /* inverts bits of one octet */
    IW_RELAY_SET = 1 << 1,     /* sets fields */
    IW_RELAY_PRIVATE = 1 << 2, /* replaces the private data, and sets PD_Length */
    IW_RELAY_CUT = 1 << 3,     /* removes octets */
    IW_RELAY_INSERT = 1 << 4,
    IW_RELAY_DROP = 1 << 5,        /* does not send the unit */
    IW_RELAY_REPEAT = 1 << 6,      /* sends it again */
    IW_RELAY_SWAP = 1 << 7,        /* sends it after the next unit */
    IW_RELAY_DELAY = 1 << 8,       /* waits before it */
    IW_RELAY_SEGMENT = 1 << 9,     /* sends it in several writes */
    IW_RELAY_CLOSE = 1 << 10,      /* sends a FIN after it, and nothing more */
    IW_RELAY_RESET_BOTH = 1 << 11, /* resets both connections after it */
    IW_RELAY_STOP = 1 << 12,       /* reads no more from its sender */
    IW_RELAY_WINDOW = 1 << 13,     /* limits the TCP window that its sender sees */
};

/* What changes the octets of the unit itself. */
enum { IW_RELAY_CHANGES = IW_RELAY_FLIP | IW_RELAY_SET | IW_RELAY_PRIVATE | IW_RELAY_CUT | IW_RELAY_INSERT };

enum iw_relay_part {
    IW_RELAY_PART_LENGTH,  /* ULPDU_Length */
    IW_RELAY_PART_HEADER,  /* of an FPDU: DDP and RDMAP headers; of a startup frame: 20 octets */
    IW_RELAY_PART_PAYLOAD, /* of a startup frame: enhanced and private data */
    IW_RELAY_PART_PAD,
    IW_RELAY_PART_CRC,
    IW_RELAY_PART_MARKER, /* the first Marker of the unit */
};

/* What is repaired in a unit that was changed. */
enum iw_relay_repair {
    IW_RELAY_REPAIR_LENGTH = 1 << 0, /* ULPDU_Length and PAD */
    IW_RELAY_REPAIR_CRC = 1 << 1,
    IW_RELAY_REPAIR_MARKERS = 1 << 2, /* also in all later units, which are no longer at their places */
};

enum {
    IW_RELAY_SETS_MAX = 8,
    IW_RELAY_INSERT_MAX = 128,  /* octets */
    IW_RELAY_PRIVATE_MAX = 512, /* octets */
    IW_RELAY_REPEAT_MAX = 100,
    IW_RELAY_TEXT_OCTETS = 256, /* of a message about a rule */
};

struct iw_relay_set {
    const char *filter; /* as in struct iw_field */
    uint64_t value;
};

struct iw_relay_rule {
    const char *text; /* borrowed */

    enum iw_relay_unit_kind kind;
    uint8_t opcode; /* with IW_RELAY_UNIT_OPCODE */
    unsigned with;  /* set of enum iw_relay_condition */
    bool one_direction;
    enum iw_side direction;
    uint64_t nth;    /* only the unit of that number among those that fit, from 1; 0: each */
    uint64_t after;  /* octets of its sender before the unit, at least */
    uint32_t chance; /* of each unit that fits, in millionths */

    unsigned actions; /* set of enum iw_relay_action */
    enum iw_relay_part part;
    bool octet_known, mask_known; /* otherwise by the seed */
    uint32_t octet;
    uint8_t mask;
    struct iw_relay_set sets[IW_RELAY_SETS_MAX];
    unsigned set_count;
    uint32_t cut_at, cut_octets;
    uint32_t insert_at, insert_octets;
    uint8_t insert[IW_RELAY_INSERT_MAX];
    uint32_t private_octets;
    uint8_t private_data[IW_RELAY_PRIVATE_MAX];
    uint32_t repeat;
    uint32_t delay_ms;
    uint32_t segment, pause_ms; /* octets of a write; pause between two writes */
    uint32_t stop_ms;           /* 0: for ever */
    uint32_t window;
};

/* Reads "NAME[=VALUE],...". On failure returns false and writes the reason to `error`, of
 * IW_RELAY_TEXT_OCTETS octets. */
bool iw_relay_rule_parse(const char *text, struct iw_relay_rule *rule, char *error);

/* Returns the name, as in a rule, of the first of `actions`, a set of enum iw_relay_action, which is not
 * empty. */
const char *iw_relay_action_name(unsigned actions);

/* Returns the most octets that a TCP segment of a sender may have with these rules; 0: no limit. A sender
 * whose segment is larger than the window sends only when its persist timer expires (RFC 9293 3.8.6.1). */
uint32_t iw_relay_rule_segment_max(const struct iw_relay_rule *rules, size_t count);

/* Reads a list of "length", "crc" and "markers" into a set of enum iw_relay_repair. */
bool iw_relay_repair_parse(const char *text, unsigned *repair);
