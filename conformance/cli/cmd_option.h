#ifndef CMD_OPTION_H
#define CMD_OPTION_H

#include "iw_defect.h"
#include "iw_option.h"
#include "iw_pattern.h"
#include "iw_sctp_link.h"

/* Options that several commands have: name, argument and letter of each row, for the command's help text to
 * follow, and the readers of their values. */

#define CMD_OPTION_PEER "peer", "HOST:PORT", 'p'
#define CMD_OPTION_SCTP "sctp", "[udp:]HOST:PORT", 0
#define CMD_OPTION_AGENT "agent", "[HOST:]PORT", 0
#define CMD_OPTION_TOKEN_FILE "token-file", "FILE", 0
#define CMD_OPTION_OWN_HOST "own-host", "HOST", 0
#define CMD_OPTION_DEFECT "defect", "NAME", 0
#define CMD_OPTION_EXTENSIONS "extensions", "LIST", 'x'
#define CMD_OPTION_ARG "arg", "NAME=VALUE", 'a'
#define CMD_OPTION_QUIET "quiet", NULL, 'q'
#define CMD_OPTION_TRUST "trust", NULL, 0
/* With their help text. */
#define CMD_OPTION_RECORD "record", "FILE", 'r', "write the packets to this capture (pcapng)"
#define CMD_OPTION_NO_CRC "no-crc", NULL, 0, "do not request CRC; it is used if the peer requests it"

/* These read `optarg`. They return 0, or the exit code after one line on stderr that names the option. */

/* HOST:PORT; sets *where to `host`, which gets the host. */
int cmd_option_address(const struct iw_usage *usage, int option, char *host, size_t host_octets,
    unsigned short *port, const char **where);

/* --sctp: where a device accepts associations, or, with `listens`, where to accept them; port 0 then lets
 * the system choose. The host goes into `host`. */
int cmd_option_sctp(
    const struct iw_usage *usage, struct iw_sctp_where *where, char *host, size_t host_octets, _Bool listens);

int cmd_option_defect(const struct iw_usage *usage, const struct iw_defect **defect);
int cmd_option_extensions(const struct iw_usage *usage, unsigned *extensions);

/* Up to 1,000,000 seconds. */
int cmd_option_seconds(const struct iw_usage *usage, int option, uint32_t *ms);

/* A number from `low` to `high`; `name` is that of the option. */
int cmd_option_number(const struct iw_usage *usage, const char *name, unsigned long low, unsigned long high,
    unsigned long *number);

/* Replaces *pattern. */
int cmd_option_pattern(const struct iw_usage *usage, const char *name, struct iw_pattern **pattern);

/* The error of an option whose argument in the table lists its words, as "text|jsonl". */
int cmd_option_not_listed(const struct iw_usage *usage, int option);

#endif
