#pragma once

#include "iw_defect.h"
#include "iw_option.h"
#include "iw_sctp_link.h"

/* Options of several commands. Each macro is the name, argument and letter of an option (struct iw_option);
 * the command adds the help text and the function that reads the value. */

#define CMD_OPTION_PEER "peer", "HOST:PORT", 'p'
#define CMD_OPTION_SCTP "sctp", "[udp:]HOST:PORT", 0
#define CMD_OPTION_AGENT "agent", "[HOST:]PORT", 0
#define CMD_OPTION_TOKEN_FILE "token-file", "FILE", 0
#define CMD_OPTION_OWN_HOST "own-host", "HOST", 0
#define CMD_OPTION_INITIATOR "initiator", "COMMAND", 0
#define CMD_OPTION_DEFECT "defect", "NAME", 0
/* The names are those of iw_extensions.c: completion offers them. */
#define CMD_OPTION_EXTENSIONS "extensions", "none|7306|talpey|talpey5|storm|all|default", 'x'
#define CMD_OPTION_MAX_LEVEL "max-level", "LEVEL", 'l'
#define CMD_OPTION_UPPER "upper", "off|warn|judge", 'u'
#define CMD_OPTION_ARG "arg", "NAME=VALUE", 'a'
#define CMD_OPTION_QUIET "quiet", NULL, 'q'
#define CMD_OPTION_TRUST "trust", NULL, 0
/* These two include the help text. */
#define CMD_OPTION_RECORD "record", "FILE", 'r', "write the packets to this capture (pcapng)"
#define CMD_OPTION_NO_CRC "no-crc", NULL, 0, "do not request CRC; it is used if the peer requests it"

/* The value of an option HOST:PORT. */
struct cmd_address {
    const char *host; /* NULL: not given */
    unsigned short port;
    char text[256];
};

/* Writes HOST:PORT, or [HOST]:PORT for an IPv6 address. */
enum { CMD_ADDRESS_OCTETS = 256 + sizeof "[]:65535" };
void cmd_address_name(const struct cmd_address *address, char name[CMD_ADDRESS_OCTETS]);

struct cmd_sctp {
    struct iw_sctp_where where; /* where.host NULL: not given */
    char text[256];
};

iw_option_take cmd_option_address, /* sets a struct cmd_address */
    cmd_option_sctp,               /* sets a struct cmd_sctp: where a device accepts associations */
    cmd_option_sctp_listen,        /* the same for this host; port 0 lets the system choose */
    cmd_option_arg,                /* adds to a struct iw_arguments */
    cmd_option_defect,             /* --defect or --variant: sets a const struct iw_defect * */
    cmd_option_extensions,         /* sets an unsigned: a set of enum iw_extension */
    cmd_option_grouping,           /* sets an enum iw_check_grouping */
    cmd_option_max_level, /* sets a uint8_t: iw_totals.stricter, from the lowest severity that violates */
    cmd_option_upper,     /* sets an enum iw_check_upper_mode */
    cmd_option_memory,    /* sets a uint64_t: octets, at least 1 MiB */
    cmd_option_seconds,   /* sets a uint32_t in ms; up to IW_RUN_OPTION_SECONDS_MAX seconds */
    cmd_option_pattern,   /* frees and sets a struct iw_pattern * */
    cmd_option_run;       /* sets the member of a struct iw_run_options with this name */

/* Prints that the value is not one of the words in option->argument. Returns the exit code. */
int cmd_option_not_listed(const struct iw_usage *usage, const struct iw_option *option);
