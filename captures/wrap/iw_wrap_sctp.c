#include "iw_wrap_sctp.h"

#include <string.h>

#include "iw_wrap_word.h"

/* SCTP packets of a recipe (RFC 9260 3). */

static uint32_t tag_of(unsigned receiver) {
    return 0xABCD0000 + receiver;
}

/* INIT or INIT ACK: 16 streams each way, Adaptation Layer Indication 1 (RFC 5043 5.1), and the State Cookie
 * that an INIT ACK requires. */
static void init_chunk(
    struct iw_wrap_file *file, const struct iw_wrap_sides *sides, unsigned sender, bool ack) {
    static struct iw_wrap_octets octets;

    octets.count = 0;
    iw_wrap_append32(&octets, (ack ? 0x02000000u : 0x01000000u) | (ack ? 36 : 28));
    iw_wrap_append32(&octets, tag_of(sender));
    iw_wrap_append32(&octets, 65536);      /* a_rwnd */
    iw_wrap_append32(&octets, 0x00100010); /* streams out and in */
    iw_wrap_append32(&octets, sides->isn[sender]);
    iw_wrap_append32(&octets, 0xC0060008);
    iw_wrap_append32(&octets, 1);
    if (ack)
        iw_wrap_append_hex(&octets, "00070008636f6f6b");
    iw_wrap_sctp(file, sender, ack ? tag_of(1 - sender) : 0, octets.at, octets.count);
}

void iw_wrap_associate(struct iw_wrap_file *file, struct iw_wrap_sides *sides) {
    static struct iw_wrap_octets octets;

    init_chunk(file, sides, 0, false);
    init_chunk(file, sides, 1, true);
    iw_wrap_append_hex(&octets, "0a000008636f6f6b"); /* COOKIE ECHO */
    iw_wrap_sctp(file, 0, tag_of(1), octets.at, octets.count);
    octets.count = 0;
    iw_wrap_append_hex(&octets, "0b000004"); /* COOKIE ACK */
    iw_wrap_sctp(file, 1, tag_of(0), octets.at, octets.count);
    iw_wrap_sides_restart(sides);
}

/* Type, flags and value of a chunk of any kind; length and padding are added. */
static void put_chunk(struct iw_wrap_octets *packet, unsigned long type, unsigned long flags,
    const struct iw_wrap_octets *value) {
    static const uint8_t zero[3];

    if (type > 255 || flags > 255)
        iw_wrap_fail("type and flags of a chunk must each fit into an octet", "");
    iw_wrap_append32(packet, (uint32_t)(type << 24 | flags << 16 | (4 + value->count)));
    iw_wrap_append(packet, value->at, value->count);
    iw_wrap_append(packet, zero, (4 - value->count % 4) % 4);
}

/* A DATA chunk; `words` are PPID, stream identifier and items. TSNs count from 0 at the first of an
 * association. */
static void put_data(struct iw_wrap_octets *packet, struct iw_wrap_sides *sides, unsigned sender,
    unsigned long flags, uint32_t tsn, char **words, unsigned count) {
    static struct iw_wrap_octets user;
    static struct iw_wrap_octets value;

    if (count < 2)
        iw_wrap_fail("a DATA chunk needs a payload protocol identifier and a stream", "");
    iw_wrap_take_octets(&user, words + 2, count - 2);
    value.count = 0;
    iw_wrap_append32(&value, sides->isn[sender] + tsn);
    iw_wrap_append32(&value, (uint32_t)iw_wrap_number(words[1]) << 16); /* and Stream Sequence Number 0 */
    iw_wrap_append32(&value, (uint32_t)iw_wrap_number(words[0]));
    iw_wrap_append(&value, user.at, user.count);
    put_chunk(packet, 0, flags, &value);
    iw_wrap_move_to(sides, sender, tsn + 1);
}

/* The chunks, separated by "+", are unordered and unfragmented (U, B and E; RFC 5043 10). */
void iw_wrap_sctp_line(
    struct iw_wrap_file *file, struct iw_wrap_sides *sides, unsigned sender, char **words, unsigned count) {
    static struct iw_wrap_octets packet;
    unsigned first = 0;

    packet.count = 0;
    for (unsigned i = 0; i <= count; i++)
        if (i == count || strcmp(words[i], "+") == 0) {
            put_data(&packet, sides, sender, 7, sides->next[sender], words + first, i - first);
            first = i + 1;
        }
    iw_wrap_sctp(file, sender, tag_of(1 - sender), packet.at, packet.count);
}

/* "data FLAGS TSN PPID STREAM ITEM..." */
static void written_data(struct iw_wrap_octets *packet, struct iw_wrap_sides *sides, unsigned sender,
    char **words, unsigned count) {
    if (count < 3)
        iw_wrap_fail("a DATA chunk needs flags and TSN", "");
    put_data(packet, sides, sender, iw_wrap_number(words[1]), (uint32_t)iw_wrap_number(words[2]), words + 3,
        count - 3);
}

/* "sack TSN": the last TSN received from the other side; no gaps, no duplicates (RFC 9260 3.3.4). */
static void sack(struct iw_wrap_octets *packet, const struct iw_wrap_sides *sides, unsigned sender,
    char **words, unsigned count) {
    static struct iw_wrap_octets value;

    if (count != 2)
        iw_wrap_fail("a SACK needs a TSN", "");
    value.count = 0;
    iw_wrap_append32(&value, sides->isn[1 - sender] + (uint32_t)iw_wrap_number(words[1]));
    iw_wrap_append32(&value, 65536); /* a_rwnd */
    iw_wrap_append32(&value, 0);
    put_chunk(packet, 3, 0, &value);
}

/* "raw TYPE FLAGS ITEM..."; returns the type. An INIT restarts the TSNs. */
static unsigned long raw_chunk(
    struct iw_wrap_octets *packet, struct iw_wrap_sides *sides, char **words, unsigned count) {
    static struct iw_wrap_octets value;
    unsigned long type;

    if (count < 3)
        iw_wrap_fail("a chunk needs a type and flags", "");
    type = iw_wrap_number(words[1]);
    iw_wrap_take_octets(&value, words + 3, count - 3);
    put_chunk(packet, type, iw_wrap_number(words[2]), &value);
    if (type == 1)
        iw_wrap_sides_restart(sides);
    return type;
}

/* A packet of chunks that the recipe writes out, separated by "+". A packet with an INIT has Verification Tag
 * 0 (RFC 9260 8.5.1). */
void iw_wrap_chunks_line(
    struct iw_wrap_file *file, struct iw_wrap_sides *sides, unsigned sender, char **words, unsigned count) {
    static struct iw_wrap_octets packet;
    uint32_t tag = tag_of(1 - sender);
    unsigned first = 0;

    packet.count = 0;
    for (unsigned i = 0; i <= count; i++) {
        if (i < count && strcmp(words[i], "+") != 0)
            continue;
        if (i > first && strcmp(words[first], "data") == 0)
            written_data(&packet, sides, sender, words + first, i - first);
        else if (i > first && strcmp(words[first], "sack") == 0)
            sack(&packet, sides, sender, words + first, i - first);
        else if (i == first || strcmp(words[first], "raw") != 0)
            iw_wrap_fail("neither data nor sack nor raw", i == first ? "" : words[first]);
        else if (raw_chunk(&packet, sides, words + first, i - first) == 1)
            tag = 0;
        first = i + 1;
    }
    iw_wrap_sctp(file, sender, tag, packet.at, packet.count);
}
