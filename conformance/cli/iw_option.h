#ifndef IW_OPTION_H
#define IW_OPTION_H

#include <stddef.h>
#include <stdint.h>

/* The command line of one subcommand: what it takes, and its help text made from that. */

struct iw_option {
    const char *name;     /* "format" for --format */
    const char *argument; /* "FILE"; NULL if it takes none */
    char letter;          /* 'o' for -o; 0 for none */
    const char *help;
};

struct iw_usage {
    const char *command;   /* "check" */
    const char *arguments; /* "[OPTION...] FILE..." */
    const char *operand;   /* "file": one is to be given; NULL for none */
    _Bool operands;        /* or more than one */
    const char *summary;
    const char *detail; /* paragraphs, or NULL */
    const struct iw_option *options;
    size_t option_count;
    const char *examples; /* lines */
    const char *exits;    /* lines, or NULL: those that all commands share */
};

enum { IW_OPTION_DONE = -1 };

/* Reads the options of `argv`, whose first element is the command: hands the index of each to `take`, its
 * argument being in `optarg`, until that returns an exit code other than 0. Then sees whether there are as
 * many operands as there should be. Returns IW_OPTION_DONE, and argv[optind] on are the operands; otherwise
 * the exit code of the command, which is over: help has been printed, or on stderr in one line what is wrong.
 */
int iw_option_all(const struct iw_usage *usage, int argc, char **argv,
    int (*take)(void *settings, int option), void *settings);

/* Prints "warpcheck COMMAND: text" on stderr, and returns the exit code of usage and environment. */
int iw_option_error(const struct iw_usage *usage, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Reads a whole decimal number from `low` to `high`. Returns false if `text` is none. */
_Bool iw_option_number(const char *text, unsigned long low, unsigned long high, unsigned long *number);

/* Reads seconds, with a fraction or without ("0.5"), of 1 ms to `high` seconds, into milliseconds. Returns
 * false if `text` is none. */
_Bool iw_option_seconds(const char *text, unsigned long high, uint32_t *ms);

/* Splits "HOST:PORT" or "[HOST]:PORT". Returns false if it is neither, the host is longer than `host_octets`,
 * or the port is not 0 to 65535. */
_Bool iw_option_address(const char *text, char *host, size_t host_octets, unsigned short *port);

/* The same, or a port alone: then the host is `otherwise`. */
_Bool iw_option_address_or_port(
    const char *text, const char *otherwise, char *host, size_t host_octets, unsigned short *port);

/* Where SCTP is: "HOST:PORT" in IP, "udp:HOST:PORT" in UDP (RFC 6951) at the port 9899, "udp/PORT:HOST:PORT"
 * at another. Returns false if it is none of them, or as iw_option_address. */
_Bool iw_option_sctp(const char *text, char *host, size_t host_octets, unsigned short *port, _Bool *tunnelled,
    unsigned short *tunnel);

#endif
