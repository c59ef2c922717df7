#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A network between two hosts, as `run --network` names it: what happens to the packets of both directions.
 * Pure data: iw_network.h makes such a network. */

enum {
    IW_NETWORK_NAME_OCTETS = 128,
    IW_NETWORK_WORDS_OCTETS = 256, /* of the values in words, for people or for tc */
    IW_NETWORK_MTU = 1500,         /* of a network without `mtu` */
    IW_NETWORK_MTU_MIN = 576,      /* RFC 1122 3.3.3: what each host must be able to reassemble */
    IW_NETWORK_MTU_MAX = 65535,
    IW_NETWORK_SEED = 1, /* of a network without `seed` */
};

struct iw_network_profile {
    char name[IW_NETWORK_NAME_OCTETS]; /* as given: a name of the table, or KEY=VALUE,... */
    uint32_t loss;                     /* share of the packets, in millionths; likewise: */
    uint32_t reorder;                  /* packets that overtake those before them; needs a delay */
    uint32_t duplicate;
    uint32_t delay_ms;  /* of each packet in one direction */
    uint32_t rate_kbit; /* kbit/s in each direction; 0: no limit */
    uint32_t mtu;       /* octets */
    uint32_t seed;      /* of the random numbers that choose packets */
    uint32_t wait_ms;   /* how much longer the suite waits for whatever it waits for */
};

/* A row of the table of named networks. */
struct iw_network_named {
    const char *name;
    const char *values; /* as after --network */
    const char *about;
};

extern const struct iw_network_named iw_network_names[];
extern const size_t iw_network_name_count;

/* Reads a name of the table or KEY=VALUE,...; keys: loss, reorder, duplicate (percentages), delay (ms), rate
 * (mbit), mtu (octets), seed, wait (s). Returns false with one line in `error` if the text is invalid. */
bool iw_network_profile_read(
    const char *text, struct iw_network_profile *profile, char *error, size_t error_octets);

/* Whether a packet can get lost or overtake another. TCP repairs this for data and FIN, but nothing repeats a
 * RST (RFC 9293 3.10.7), and a RST that overtakes data destroys it: then an answer that is missing does not
 * prove that the peer gave none. */
bool iw_network_profile_loses(const struct iw_network_profile *profile);

/* Whether TCP may send other segments than the application wrote: it sends lost octets again in segments of
 * other bounds, and splits what is larger than a small MTU allows. */
bool iw_network_profile_changes_segments(const struct iw_network_profile *profile);

/* Whether it needs the queueing discipline netem of the kernel. */
bool iw_network_profile_needs_netem(const struct iw_network_profile *profile);

/* Writes what `tc qdisc add dev DEVICE root netem` takes for it: "delay 5ms reorder 25%"; "" if it needs no
 * netem. Without the seed, which only newer versions take. */
void iw_network_profile_netem(const struct iw_network_profile *profile, char words[IW_NETWORK_WORDS_OCTETS]);

/* Writes the values for people: "loss 1 %, MTU 1500". */
void iw_network_profile_words(const struct iw_network_profile *profile, char words[IW_NETWORK_WORDS_OCTETS]);
