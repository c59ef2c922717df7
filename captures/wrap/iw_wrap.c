/* iw_wrap VECTORS RECIPE OUTPUT: makes a capture of given octets: golden vectors or octets written in the
 * recipe. captures/README.md describes recipes. */

#include <stdio.h>
#include <string.h>

#include "iw_wrap_packet.h"
#include "iw_wrap_sctp.h"
#include "iw_wrap_word.h"

enum { LINE_MAX_OCTETS = 8192, WORDS_MAX = 256 };

static struct iw_wrap_file file = {.snaplen = 65535, .ip = 4, .port = {40000, 4711}};
static struct iw_wrap_sides sides = {.isn = {1000, 500000}};
static unsigned latest; /* sender of the latest packet */

/* ---- TCP ---- */

/* Writes a segment. `ack` is the acknowledged stream offset of the other side; `sack`, if larger, the end
 * of a selectively acknowledged range. */
static void segment_acking(unsigned sender, unsigned flags, uint32_t offset,
    const struct iw_wrap_octets *octets, uint32_t ack, uint32_t sack, const struct iw_wrap_damage *damage) {
    struct iw_tcp_segment tcp = {.flags = (uint8_t)flags,
        .seq = sides.isn[sender] + 1 + offset,
        .length = (uint32_t)octets->count,
        .payload = octets->at};

    if (flags & IW_TCP_ACK)
        tcp.ack = sides.isn[1 - sender] + 1 + ack;
    tcp.sacked = sack > ack ? sack - ack : 0;
    if (flags & IW_TCP_SYN)
        tcp.seq--;
    if ((damage->damaged && damage->octet >= octets->count) || damage->joint > octets->count)
        iw_wrap_fail("not within the segment", "damaged, joint");
    iw_wrap_tcp(&file, sender, &tcp, damage);
}

static void segment(unsigned sender, unsigned flags, uint32_t offset, const struct iw_wrap_octets *octets) {
    static const struct iw_wrap_damage none;

    segment_acking(sender, flags, offset, octets, sides.next[1 - sender], 0, &none);
}

/* The handshake; with `one`, the capture has only the opener's part. */
static void open_connection(bool one) {
    static const struct iw_wrap_octets none;

    iw_wrap_sides_restart(&sides);
    segment(0, IW_TCP_SYN, 0, &none);
    if (!one)
        segment(1, IW_TCP_SYN | IW_TCP_ACK, 0, &none);
    segment(0, IW_TCP_ACK, 0, &none);
}

/* The options before the items of a line. */
struct tcp_words {
    uint32_t at, ack, sack;
    unsigned flags;
    uint8_t hops;
    bool lost;
    struct iw_wrap_damage damage;
};

/* Reads an option with a value. */
static bool take_tcp_value(struct tcp_words *line, const char *word, const char *value) {
    if (strcmp(word, "at") == 0)
        line->at = (uint32_t)iw_wrap_number(value);
    else if (strcmp(word, "ack") == 0)
        line->ack = (uint32_t)iw_wrap_number(value);
    else if (strcmp(word, "sack") == 0)
        line->sack = (uint32_t)iw_wrap_number(value);
    else if (strcmp(word, "hops") == 0)
        line->hops = (uint8_t)iw_wrap_number(value);
    else if (strcmp(word, "damaged") == 0)
        line->damage.damaged = true, line->damage.octet = (uint32_t)iw_wrap_number(value);
    else if (strcmp(word, "joint") == 0)
        line->damage.joint = (uint32_t)iw_wrap_number(value);
    else
        return false;
    return true;
}

/* Reads one option with its value. Returns how many words it takes; 0 if the word is not an option. */
static unsigned take_tcp_word(struct tcp_words *line, char **words, unsigned count) {
    if (count > 1 && take_tcp_value(line, words[0], words[1]))
        return 2;
    if (strcmp(words[0], "fin") == 0)
        line->flags |= IW_TCP_FIN;
    else if (strcmp(words[0], "rst") == 0)
        line->flags |= IW_TCP_RST;
    else if (strcmp(words[0], "syn") == 0)
        line->flags = IW_TCP_SYN;
    else if (strcmp(words[0], "bare") == 0)
        line->flags &= ~(unsigned)IW_TCP_ACK;
    else if (strcmp(words[0], "closed") == 0)
        line->damage.closed = true;
    else if (strcmp(words[0], "lost") == 0)
        line->lost = true;
    else
        return 0;
    return 1;
}

/* `words` follow ">" or "<". */
static void tcp_line(unsigned sender, char **words, unsigned count) {
    static struct iw_wrap_octets octets;
    struct tcp_words line = {.at = sides.next[sender], .ack = sides.next[1 - sender], .flags = IW_TCP_ACK};
    unsigned used;

    while (count > 0 && (used = take_tcp_word(&line, words, count)) > 0) {
        words += used;
        count -= used;
    }
    iw_wrap_take_octets(&octets, words, count);
    file.hops = line.hops;
    if (!line.lost)
        segment_acking(sender, line.flags, line.at, &octets, line.ack, line.sack, &line.damage);
    file.hops = 0;
    if (!(line.flags & (IW_TCP_RST | IW_TCP_SYN)))
        iw_wrap_move_to(&sides, sender, line.at + (uint32_t)octets.count + ((line.flags & IW_TCP_FIN) != 0));
}

/* ---- recipe ---- */

/* Reads tunnels, "NAME NUMBER" each, the outermost first. An empty line means no tunnel. */
static void tunnel_line(char **words, unsigned count) {
    struct iw_wrap_tunnels *tunnels = &file.tunnels;

    tunnels->count = 0;
    for (unsigned i = 0; i < count; i += 2) {
        struct iw_wrap_tunnel *tunnel = &tunnels->list[tunnels->count];

        if (i + 1 == count || tunnels->count == IW_WRAP_TUNNELS || !iw_wrap_tunnel_is(words[i]))
            iw_wrap_fail("not a known tunnel with a number, or more tunnels than allowed", words[i]);
        snprintf(tunnel->name, sizeof tunnel->name, "%s", words[i]);
        tunnel->number = (uint32_t)iw_wrap_number(words[i + 1]);
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
    tunnels->octets = (unsigned)iw_wrap_number(words[1]);
    if (tunnels->octets == 0 || tunnels->octets % 8 != 0)
        iw_wrap_fail("the fragment size must be a multiple of 8 octets", words[1]);
    for (unsigned i = 2; i < count; i++)
        if (strcmp(words[i], "reversed") == 0)
            tunnels->reversed = true;
        else if (strcmp(words[i], "doubled") == 0)
            tunnels->doubled = true;
        else if (strcmp(words[i], "overlapping") == 0)
            tunnels->overlapping = true;
        else if (strcmp(words[i], "without") == 0 && i + 1 < count)
            tunnels->missing = (unsigned)iw_wrap_number(words[++i]);
        else
            iw_wrap_fail("unknown word in a fragment line", words[i]);
}

/* "SOURCE DESTINATION ITEM..." */
static void udp_line(unsigned sender, char **words, unsigned count) {
    static struct iw_wrap_octets octets;

    if (count < 2)
        iw_wrap_fail("a UDP packet needs two ports", "");
    iw_wrap_take_octets(&octets, words + 2, count - 2);
    iw_wrap_udp(&file, sender, (uint16_t)iw_wrap_number(words[0]), (uint16_t)iw_wrap_number(words[1]),
        octets.at, octets.count);
}

/* "TYPE CODE REST" */
static void icmp_line(char **words, unsigned count) {
    if (count != 3 || file.quoted_octets == 0)
        iw_wrap_fail("icmp needs type, code, the rest of the header, and a TCP packet before", "");
    iw_wrap_icmp(&file, (uint8_t)iw_wrap_number(words[0]), (uint8_t)iw_wrap_number(words[1]),
        (uint32_t)iw_wrap_number(words[2]));
}

static void checksum_line(char **words, unsigned count) {
    static const char *const names[] = {[IW_WRAP_CHECKSUM_RIGHT] = "right",
        [IW_WRAP_CHECKSUM_ZERO] = "zero",
        [IW_WRAP_CHECKSUM_PSEUDO] = "pseudo",
        [IW_WRAP_CHECKSUM_WRONG] = "wrong"};

    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (count == 1 && strcmp(words[0], names[i]) == 0) {
            file.checksum = (enum iw_wrap_checksum)i;
            return;
        }
    iw_wrap_fail("checksum is right, zero, pseudo or wrong", "");
}

static void setting(char **words, unsigned count) {
    unsigned long first = count > 1 ? iw_wrap_number(words[1]) : 0;

    if (count == 2 && strcmp(words[0], "ip") == 0)
        file.ip = (unsigned)first;
    else if (count == 2 && strcmp(words[0], "vlan") == 0)
        file.vlan = (unsigned)first;
    else if (count == 2 && strcmp(words[0], "mss") == 0)
        file.mss = (uint16_t)first;
    else if (count == 2 && strcmp(words[0], "port") == 0)
        file.port[0] = (uint16_t)first;
    else if (count == 3 && strcmp(words[0], "port") == 0) {
        file.port[0] = (uint16_t)first;
        file.port[1] = (uint16_t)iw_wrap_number(words[2]);
    } else if (count == 2 && strcmp(words[0], "wait") == 0)
        file.waited += (uint32_t)first;
    else if (count == 3 && strcmp(words[0], "udp") == 0) {
        file.udp[0] = (uint16_t)first;
        file.udp[1] = (uint16_t)iw_wrap_number(words[2]);
    } else if (count == 3 && strcmp(words[0], "isn") == 0) {
        sides.isn[0] = (uint32_t)first;
        sides.isn[1] = (uint32_t)iw_wrap_number(words[2]);
    } else if (count == 2 && strcmp(words[0], "snaplen") == 0)
        file.snaplen = (uint32_t)first;
    else
        iw_wrap_fail("neither a setting nor a packet", words[0]);
}

/* States an expected violation. By default it is in the frame of the latest packet and by its sender. The
 * line may name others: > for the initiator, < for the responder, ? if the roles are unknown. */
static void violates(char **words, unsigned count) {
    static const char *const roles[] = {"initiator", "responder", "unknown"};
    unsigned long frame = file.packets;
    unsigned sender = latest;

    if (count < 2)
        iw_wrap_fail("violates needs a requirement", "");
    for (unsigned i = 2; i < count; i++) {
        if (strcmp(words[i], "frame") == 0 && i + 1 < count)
            frame = iw_wrap_number(words[++i]);
        else if (strcmp(words[i], ">") == 0 || strcmp(words[i], "<") == 0)
            sender = words[i][0] == '<';
        else if (strcmp(words[i], "?") == 0)
            sender = 2;
        else
            iw_wrap_fail("expected frame NUMBER, >, < or ?", words[i]);
    }
    printf("%lu\t%s\t%s\n", frame, roles[sender], words[1]);
}

static void recipe_line(char **words, unsigned count) {
    bool back = words[0][0] == '<';

    if (words[0][0] == '>' || words[0][0] == '<')
        latest = back;

    if (strcmp(words[0], ">") == 0 || strcmp(words[0], "<") == 0)
        tcp_line(back, words + 1, count - 1);
    else if (strcmp(words[0], ">sctp") == 0 || strcmp(words[0], "<sctp") == 0)
        iw_wrap_sctp_line(&file, &sides, back, words + 1, count - 1);
    else if (strcmp(words[0], ">chunks") == 0 || strcmp(words[0], "<chunks") == 0)
        iw_wrap_chunks_line(&file, &sides, back, words + 1, count - 1);
    else if (strcmp(words[0], ">udp") == 0 || strcmp(words[0], "<udp") == 0)
        udp_line(back, words + 1, count - 1);
    else if (strcmp(words[0], "icmp") == 0)
        icmp_line(words + 1, count - 1);
    else if (strcmp(words[0], "tunnel") == 0)
        tunnel_line(words + 1, count - 1);
    else if (strcmp(words[0], "fragment") == 0)
        fragment_line(words + 1, count - 1);
    else if (strcmp(words[0], "checksum") == 0)
        checksum_line(words + 1, count - 1);
    else if (strcmp(words[0], "open") == 0)
        open_connection(count > 1 && strcmp(words[1], "one") == 0);
    else if (strcmp(words[0], "again") == 0)
        iw_wrap_sides_restart(&sides); /* another connection between the same ports, without a handshake */
    else if (strcmp(words[0], "associate") == 0)
        iw_wrap_associate(&file, &sides);
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

        iw_wrap_words_line();
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
    static struct iw_vector_set vectors;
    FILE *in;

    if (argc != 4) {
        fprintf(stderr, "usage: iw_wrap VECTORS RECIPE OUTPUT\n");
        return 3;
    }
    iw_wrap_words_begin(argv[2], &vectors);
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
