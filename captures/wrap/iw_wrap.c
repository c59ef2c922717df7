/* iw_wrap VECTORS RECIPE OUTPUT: makes a capture of given octets, those of the golden vectors or written out;
 * see captures/README.md for what a recipe may say. */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_bits.h"
#include "iw_crc32c.h"
#include "iw_vector.h"
#include "iw_wrap_packet.h"

enum { OCTETS_MAX = 65536, LINE_MAX_OCTETS = 8192, WORDS_MAX = 256 };

struct octets {
    uint8_t at[OCTETS_MAX];
    size_t count;
};

static const char *recipe;
static unsigned line_number;
static struct iw_vector_set vectors;
static struct iw_wrap_file file = {.snaplen = 65535, .ip = 4, .port = {40000, 4711}};
static uint32_t isn[2] = {1000, 500000};
static uint32_t next[2]; /* stream offset, by sender; TSN over SCTP */
static unsigned latest;  /* sender of the latest packet */

static _Noreturn void fail(const char *what, const char *word) {
    fprintf(stderr, "%s:%u: %s: %s\n", recipe, line_number, what, word);
    exit(1);
}

static unsigned long number(const char *word) {
    char *end;
    unsigned long value = strtoul(word, &end, 0);

    if (!isdigit((unsigned char)word[0]) || *end != '\0' || value > UINT32_MAX)
        fail("no number", word);
    return value;
}

/* ---- octets ---- */

static void append(struct octets *octets, const uint8_t *at, size_t count) {
    if (count > sizeof octets->at - octets->count)
        fail("too many octets for one packet", "");
    memcpy(octets->at + octets->count, at, count);
    octets->count += count;
}

static void append_hex(struct octets *octets, const char *digits) {
    unsigned value;
    uint8_t octet;

    for (; *digits != '\0'; digits += 2) {
        if (!isxdigit((unsigned char)digits[0]) || !isxdigit((unsigned char)digits[1]) ||
            sscanf(digits, "%2x", &value) != 1)
            fail("no hexadecimal octets", digits);
        octet = (uint8_t)value;
        append(octets, &octet, 1);
    }
}

/* What is behind the id: nothing, ".ulpdu" for what the FPDU carries (RFC 5044 4.1), or "[FROM:TO]". */
static void append_part(struct octets *octets, const struct iw_vector *vector, const char *part) {
    unsigned from = 0;
    unsigned to = (unsigned)vector->length;

    if (strcmp(part, ".ulpdu") == 0) {
        from = 2;
        to = 2 + ((unsigned)vector->octets[0] << 8 | vector->octets[1]);
    } else if (*part != '\0' && sscanf(part, "[%u:%u]", &from, &to) != 2) {
        fail("no part of a vector", part);
    }
    if (from > to || to > vector->length)
        fail("not within the vector", part);
    append(octets, vector->octets + from, to - from);
}

/* Reads hexadecimal octets, or "=ID": the octets of a vector, used as payload that contains FPDUs. */
static void append_part_of_fpdu(struct octets *octets, const char *part) {
    const struct iw_vector *vector;

    if (part[0] != '=') {
        append_hex(octets, part);
        return;
    }
    vector = iw_vector_find(&vectors, part + 1);
    if (vector == NULL)
        fail("no such vector", part);
    append(octets, vector->octets, vector->length);
}

/* An FPDU around the ULPDU (RFC 5044 4.1), whose octets are written as "HEX" or as "HEX*TIMES", with "+"
 * between them. */
static void append_fpdu(struct octets *octets, char *ulpdu) {
    static const uint8_t zero[4];
    uint8_t *fpdu = octets->at + octets->count;
    size_t before = octets->count;
    char *rest;

    append(octets, zero, 2);
    for (char *part = strtok_r(ulpdu, "+", &rest); part != NULL; part = strtok_r(NULL, "+", &rest)) {
        char *times = strchr(part, '*');
        unsigned long count = times == NULL ? 1 : number(times + 1);

        if (times != NULL)
            *times = '\0';
        for (unsigned long i = 0; i < count; i++)
            append_part_of_fpdu(octets, part);
    }
    iw_bits_put(fpdu, 0, 16, octets->count - before - 2);
    append(octets, zero, (4 - (octets->count - before) % 4) % 4);
    append(octets, zero, 4);
    iw_bits_put(octets->at + octets->count - 4, 0, 32, iw_crc32c(fpdu, octets->count - before - 4));
}

/* Reads octets as above, or "ULPDU[FROM:TO]": octets FROM to TO of the FPDU. */
static void append_cut_fpdu(struct octets *octets, char *ulpdu) {
    char *part = strchr(ulpdu, '[');
    size_t before = octets->count;
    unsigned from = 0;
    unsigned to = 0;

    if (part == NULL) {
        append_fpdu(octets, ulpdu);
        return;
    }
    if (sscanf(part, "[%u:%u]", &from, &to) != 2)
        fail("no part of an FPDU", part);
    *part = '\0';
    append_fpdu(octets, ulpdu);
    if (from > to || to > octets->count - before)
        fail("not within the FPDU", ulpdu);
    memmove(octets->at + before, octets->at + before + from, to - from);
    octets->count = before + to - from;
}

static void append_item(struct octets *octets, char *item) {
    char id[8] = "";
    const struct iw_vector *vector;

    if (strncmp(item, "fpdu:", 5) == 0) {
        append_cut_fpdu(octets, item + 5);
        return;
    }
    if (strncmp(item, "hex:", 4) == 0) {
        append_hex(octets, item + 4);
        return;
    }
    sscanf(item, "%7[A-Z0-9]", id);
    vector = iw_vector_find(&vectors, id);
    if (vector == NULL)
        fail("no such vector", item);
    append_part(octets, vector, item + strlen(id));
}

/* "F02*22": an item 22 times. */
static void append_word(struct octets *octets, char *word) {
    char *times = strncmp(word, "fpdu:", 5) == 0 ? NULL : strchr(word, '*');
    unsigned long count = times == NULL ? 1 : number(times + 1);

    if (times != NULL)
        *times = '\0';
    for (unsigned long i = 0; i < count; i++)
        append_item(octets, word);
}

static void take_octets(struct octets *octets, char **words, unsigned count) {
    octets->count = 0;
    for (unsigned i = 0; i < count; i++)
        append_word(octets, words[i]);
}

/* ---- TCP ---- */

/* Writes a segment; `ack` is the stream offset of the other side that it acknowledges. */
static void segment_acking(
    unsigned sender, unsigned flags, uint32_t offset, const struct octets *octets, uint32_t ack) {
    struct iw_tcp_segment tcp = {.flags = (uint8_t)flags,
        .seq = isn[sender] + 1 + offset,
        .length = (uint32_t)octets->count,
        .payload = octets->at};

    if (flags & IW_TCP_ACK)
        tcp.ack = isn[1 - sender] + 1 + ack;
    if (flags & IW_TCP_SYN)
        tcp.seq--;
    iw_wrap_tcp(&file, sender, &tcp);
}

static void segment(unsigned sender, unsigned flags, uint32_t offset, const struct octets *octets) {
    segment_acking(sender, flags, offset, octets, next[1 - sender]);
}

/* The handshake; with `one` only what the opener sends of it was captured. */
static void open_connection(bool one) {
    static const struct octets none;

    next[0] = next[1] = 0;
    segment(0, IW_TCP_SYN, 0, &none);
    if (!one)
        segment(1, IW_TCP_SYN | IW_TCP_ACK, 0, &none);
    segment(0, IW_TCP_ACK, 0, &none);
}

static void move_to(unsigned sender, uint32_t offset) {
    if (offset > next[sender])
        next[sender] = offset;
}

/* The options before the items of a line. */
struct tcp_words {
    uint32_t at, ack;
    unsigned flags;
    bool lost;
};

/* Reads one option with its value. Returns how many words it takes; 0 if the word is not an option. */
static unsigned take_tcp_word(struct tcp_words *line, char **words, unsigned count) {
    bool has_value = count > 1;

    if (strcmp(words[0], "fin") == 0)
        line->flags |= IW_TCP_FIN;
    else if (strcmp(words[0], "rst") == 0)
        line->flags |= IW_TCP_RST;
    else if (strcmp(words[0], "syn") == 0)
        line->flags = IW_TCP_SYN;
    else if (strcmp(words[0], "lost") == 0)
        line->lost = true;
    else if (has_value && strcmp(words[0], "at") == 0)
        line->at = (uint32_t)number(words[1]);
    else if (has_value && strcmp(words[0], "ack") == 0)
        line->ack = (uint32_t)number(words[1]);
    else
        return 0;
    return strcmp(words[0], "at") == 0 || strcmp(words[0], "ack") == 0 ? 2 : 1;
}

/* `words` follow ">" or "<". */
static void tcp_line(unsigned sender, char **words, unsigned count) {
    static struct octets octets;
    struct tcp_words line = {.at = next[sender], .ack = next[1 - sender], .flags = IW_TCP_ACK};
    unsigned used;

    while (count > 0 && (used = take_tcp_word(&line, words, count)) > 0) {
        words += used;
        count -= used;
    }
    take_octets(&octets, words, count);
    if (!line.lost)
        segment_acking(sender, line.flags, line.at, &octets, line.ack);
    if (!(line.flags & (IW_TCP_RST | IW_TCP_SYN)))
        move_to(sender, line.at + (uint32_t)octets.count + ((line.flags & IW_TCP_FIN) != 0));
}

/* ---- SCTP (RFC 9260 3) ---- */

static void append32(struct octets *octets, uint32_t value) {
    append(octets,
        (uint8_t[]){(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value},
        4);
}

static uint32_t tag_of(unsigned receiver) {
    return 0xABCD0000 + receiver;
}

/* INIT or INIT ACK: 16 streams each way, Adaptation Layer Indication 1 (RFC 5043 5.1), and the State Cookie
 * that an INIT ACK has to have. */
static void init_chunk(unsigned sender, bool ack) {
    static struct octets octets;

    octets.count = 0;
    append32(&octets, (ack ? 0x02000000u : 0x01000000u) | (ack ? 36 : 28));
    append32(&octets, tag_of(sender));
    append32(&octets, 65536);      /* a_rwnd */
    append32(&octets, 0x00100010); /* streams out and in */
    append32(&octets, isn[sender]);
    append32(&octets, 0xC0060008);
    append32(&octets, 1);
    if (ack)
        append_hex(&octets, "00070008636f6f6b");
    iw_wrap_sctp(&file, sender, ack ? tag_of(1 - sender) : 0, octets.at, octets.count);
}

static void associate(void) {
    static struct octets octets;

    init_chunk(0, false);
    init_chunk(1, true);
    append_hex(&octets, "0a000008636f6f6b"); /* COOKIE ECHO */
    iw_wrap_sctp(&file, 0, tag_of(1), octets.at, octets.count);
    octets.count = 0;
    append_hex(&octets, "0b000004"); /* COOKIE ACK */
    iw_wrap_sctp(&file, 1, tag_of(0), octets.at, octets.count);
    next[0] = next[1] = 0;
}

/* PPID, stream identifier, items: a DATA chunk, unordered and unfragmented (U, B and E; RFC 5043 10). */
static void append_chunk(struct octets *packet, unsigned sender, char **words, unsigned count) {
    static struct octets data;
    static const uint8_t zero[3];

    if (count < 2)
        fail("a chunk has a payload protocol identifier and a stream", "");
    take_octets(&data, words + 2, count - 2);
    append32(packet, 0x00070000 | (uint32_t)(16 + data.count));
    append32(packet, isn[sender] + next[sender]++);
    append32(packet, (uint32_t)number(words[1]) << 16); /* and Stream Sequence Number 0 */
    append32(packet, (uint32_t)number(words[0]));
    append(packet, data.at, data.count);
    append(packet, zero, (4 - data.count % 4) % 4);
}

/* Chunks are parted by "+". */
static void sctp_line(unsigned sender, char **words, unsigned count) {
    static struct octets packet;
    unsigned first = 0;

    packet.count = 0;
    for (unsigned i = 0; i <= count; i++)
        if (i == count || strcmp(words[i], "+") == 0) {
            append_chunk(&packet, sender, words + first, i - first);
            first = i + 1;
        }
    iw_wrap_sctp(&file, sender, tag_of(1 - sender), packet.at, packet.count);
}

/* Type, flags and value of a chunk of any kind: its length and padding come by themselves. */
static void put_chunk(
    struct octets *packet, unsigned long type, unsigned long flags, const struct octets *value) {
    static const uint8_t zero[3];

    if (type > 255 || flags > 255)
        fail("type and flags of a chunk take an octet each", "");
    append32(packet, (uint32_t)(type << 24 | flags << 16 | (4 + value->count)));
    append(packet, value->at, value->count);
    append(packet, zero, (4 - value->count % 4) % 4);
}

/* "data FLAGS TSN PPID STREAM ITEM..."; TSNs count from 0 at the first of an association. */
static void written_data(struct octets *packet, unsigned sender, char **words, unsigned count) {
    static struct octets user;
    static struct octets value;
    uint32_t tsn;

    if (count < 5)
        fail("a DATA chunk has flags, TSN, payload protocol identifier and stream", "");
    tsn = (uint32_t)number(words[2]);
    take_octets(&user, words + 5, count - 5);
    value.count = 0;
    append32(&value, isn[sender] + tsn);
    append32(&value, (uint32_t)number(words[4]) << 16);
    append32(&value, (uint32_t)number(words[3]));
    append(&value, user.at, user.count);
    put_chunk(packet, 0, number(words[1]), &value);
    move_to(sender, tsn + 1);
}

/* "sack TSN": the last one that has come from the other side; no gaps, nothing twice (RFC 9260 3.3.4). */
static void sack(struct octets *packet, unsigned sender, char **words, unsigned count) {
    static struct octets value;

    if (count != 2)
        fail("a SACK has a TSN", "");
    value.count = 0;
    append32(&value, isn[1 - sender] + (uint32_t)number(words[1]));
    append32(&value, 65536); /* a_rwnd */
    append32(&value, 0);
    put_chunk(packet, 3, 0, &value);
}

/* "raw TYPE FLAGS ITEM..."; returns the type. With an INIT the TSNs begin anew. */
static unsigned long raw_chunk(struct octets *packet, char **words, unsigned count) {
    static struct octets value;
    unsigned long type;

    if (count < 3)
        fail("a chunk has a type and flags", "");
    type = number(words[1]);
    take_octets(&value, words + 3, count - 3);
    put_chunk(packet, type, number(words[2]), &value);
    if (type == 1)
        next[0] = next[1] = 0;
    return type;
}

/* A packet of chunks that are written out, parted by "+"; one with an INIT has no tag (RFC 9260 8.5.1). */
static void chunks_line(unsigned sender, char **words, unsigned count) {
    static struct octets packet;
    uint32_t tag = tag_of(1 - sender);
    unsigned first = 0;

    packet.count = 0;
    for (unsigned i = 0; i <= count; i++) {
        if (i < count && strcmp(words[i], "+") != 0)
            continue;
        if (i > first && strcmp(words[first], "data") == 0)
            written_data(&packet, sender, words + first, i - first);
        else if (i > first && strcmp(words[first], "sack") == 0)
            sack(&packet, sender, words + first, i - first);
        else if (i == first || strcmp(words[first], "raw") != 0)
            fail("neither data nor sack nor raw", i == first ? "" : words[first]);
        else if (raw_chunk(&packet, words + first, i - first) == 1)
            tag = 0;
        first = i + 1;
    }
    iw_wrap_sctp(&file, sender, tag, packet.at, packet.count);
}

/* ---- recipe ---- */

/* Reads tunnels, "NAME NUMBER" each, the outermost first. An empty line means no tunnel. */
static void tunnel_line(char **words, unsigned count) {
    struct iw_wrap_tunnels *tunnels = &file.tunnels;

    tunnels->count = 0;
    for (unsigned i = 0; i < count; i += 2) {
        struct iw_wrap_tunnel *tunnel = &tunnels->list[tunnels->count];

        if (i + 1 == count || tunnels->count == IW_WRAP_TUNNELS || !iw_wrap_tunnel_is(words[i]))
            fail("no tunnel and its number, or one too many", words[i]);
        snprintf(tunnel->name, sizeof tunnel->name, "%s", words[i]);
        tunnel->number = (uint32_t)number(words[i + 1]);
        tunnels->count++;
    }
}

/* Reads how packets are fragmented: "inner OCTETS" or "outer OCTETS", and the order. An empty line means no
 * fragments. */
static void fragment_line(char **words, unsigned count) {
    struct iw_wrap_tunnels *tunnels = &file.tunnels;

    tunnels->part = IW_WRAP_NO_PART;
    tunnels->reversed = tunnels->doubled = tunnels->overlapping = false;
    tunnels->missing = 0;
    if (count < 2)
        return;
    tunnels->part = strcmp(words[0], "inner") == 0 ? IW_WRAP_INNER : IW_WRAP_OUTER;
    tunnels->octets = (unsigned)number(words[1]);
    if (tunnels->octets == 0 || tunnels->octets % 8 != 0)
        fail("fragments are multiples of 8 octets", words[1]);
    for (unsigned i = 2; i < count; i++)
        if (strcmp(words[i], "reversed") == 0)
            tunnels->reversed = true;
        else if (strcmp(words[i], "doubled") == 0)
            tunnels->doubled = true;
        else if (strcmp(words[i], "overlapping") == 0)
            tunnels->overlapping = true;
        else if (strcmp(words[i], "without") == 0 && i + 1 < count)
            tunnels->missing = (unsigned)number(words[++i]);
        else
            fail("no manner of fragments", words[i]);
}

/* "SOURCE DESTINATION ITEM..." */
static void udp_line(unsigned sender, char **words, unsigned count) {
    static struct octets octets;

    if (count < 2)
        fail("a packet of UDP has two ports", "");
    take_octets(&octets, words + 2, count - 2);
    iw_wrap_udp(
        &file, sender, (uint16_t)number(words[0]), (uint16_t)number(words[1]), octets.at, octets.count);
}

static void setting(char **words, unsigned count) {
    unsigned long first = count > 1 ? number(words[1]) : 0;

    if (count == 2 && strcmp(words[0], "ip") == 0)
        file.ip = (unsigned)first;
    else if (count == 2 && strcmp(words[0], "vlan") == 0)
        file.vlan = (unsigned)first;
    else if (count == 2 && strcmp(words[0], "mss") == 0)
        file.mss = (uint16_t)first;
    else if (count == 2 && strcmp(words[0], "port") == 0)
        file.port[0] = (uint16_t)first;
    else if (count == 2 && strcmp(words[0], "wait") == 0)
        file.waited += (uint32_t)first;
    else if (count == 3 && strcmp(words[0], "udp") == 0) {
        file.udp[0] = (uint16_t)first;
        file.udp[1] = (uint16_t)number(words[2]);
    } else if (count == 3 && strcmp(words[0], "isn") == 0) {
        isn[0] = (uint32_t)first;
        isn[1] = (uint32_t)number(words[2]);
    } else if (count == 2 && strcmp(words[0], "snaplen") == 0)
        file.snaplen = (uint32_t)first;
    else
        fail("neither a setting nor a packet", words[0]);
}

/* Says what check has to find: in the frame of the latest packet and said of its sender, unless the line
 * names others: > for the initiator, < for the responder, ? where nothing tells which is which. */
static void violates(char **words, unsigned count) {
    static const char *const sides[] = {"initiator", "responder", "unknown"};
    unsigned long frame = file.packets;
    unsigned sender = latest;

    if (count < 2)
        fail("violates what", "");
    for (unsigned i = 2; i < count; i++) {
        if (strcmp(words[i], "frame") == 0 && i + 1 < count)
            frame = number(words[++i]);
        else if (strcmp(words[i], ">") == 0 || strcmp(words[i], "<") == 0)
            sender = words[i][0] == '<';
        else if (strcmp(words[i], "?") == 0)
            sender = 2;
        else
            fail("neither frame NUMBER nor > nor < nor ?", words[i]);
    }
    printf("%lu\t%s\t%s\n", frame, sides[sender], words[1]);
}

/* Begins another connection between the same ports. The capture has no handshake of it. */
static void begin_again(void) {
    next[0] = next[1] = 0;
}

static void recipe_line(char **words, unsigned count) {
    bool back = words[0][0] == '<';

    if (words[0][0] == '>' || words[0][0] == '<')
        latest = back;

    if (strcmp(words[0], ">") == 0 || strcmp(words[0], "<") == 0)
        tcp_line(back, words + 1, count - 1);
    else if (strcmp(words[0], ">sctp") == 0 || strcmp(words[0], "<sctp") == 0)
        sctp_line(back, words + 1, count - 1);
    else if (strcmp(words[0], ">chunks") == 0 || strcmp(words[0], "<chunks") == 0)
        chunks_line(back, words + 1, count - 1);
    else if (strcmp(words[0], ">udp") == 0 || strcmp(words[0], "<udp") == 0)
        udp_line(back, words + 1, count - 1);
    else if (strcmp(words[0], "tunnel") == 0)
        tunnel_line(words + 1, count - 1);
    else if (strcmp(words[0], "fragment") == 0)
        fragment_line(words + 1, count - 1);
    else if (strcmp(words[0], "open") == 0)
        open_connection(count > 1 && strcmp(words[1], "one") == 0);
    else if (strcmp(words[0], "again") == 0)
        begin_again();
    else if (strcmp(words[0], "associate") == 0)
        associate();
    else if (strcmp(words[0], "violates") == 0)
        violates(words, count);
    else
        setting(words, count);
}

static void read_recipe(FILE *in) {
    static char line[LINE_MAX_OCTETS];
    bool begun = false;

    while (fgets(line, sizeof line, in) != NULL) {
        char *words[WORDS_MAX];
        unsigned count = 0;

        line_number++;
        line[strcspn(line, "#\n")] = '\0';
        for (char *word = strtok(line, " \t"); word != NULL && count < WORDS_MAX; word = strtok(NULL, " \t"))
            words[count++] = word;
        if (count == 0)
            continue;
        if (!begun && strcmp(words[0], "snaplen") != 0)
            begun = iw_wrap_begin(&file);
        recipe_line(words, count);
    }
}

int main(int argc, char **argv) {
    FILE *in;

    if (argc != 4) {
        fprintf(stderr, "usage: iw_wrap VECTORS RECIPE OUTPUT\n");
        return 3;
    }
    recipe = argv[2];
    in = fopen(argv[2], "r");
    file.out = fopen(argv[3], "wb");
    if (in == NULL || file.out == NULL || !iw_vector_set_init(&vectors, argv[1])) {
        perror(in == NULL ? argv[2] : file.out == NULL ? argv[3] : argv[1]);
        return 3;
    }
    read_recipe(in);
    fclose(in);
    iw_vector_set_dispose(&vectors);
    return fclose(file.out) == 0 ? 0 : 3;
}
