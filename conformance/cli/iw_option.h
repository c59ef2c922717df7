#ifndef IW_OPTION_H
#define IW_OPTION_H

#include <stddef.h>
#include <stdint.h>

/* The options and operands of a subcommand, from which its help text is made. */

struct iw_option {
    const char *name;     /* "format" for --format */
    const char *argument; /* "FILE"; NULL: no argument */
    char letter;          /* 'o' for -o; 0 for none */
    const char *help;
};

struct iw_usage {
    const char *command;   /* "check" */
    const char *arguments; /* "[OPTION...] FILE..." */
    const char *operand;   /* "file": required; NULL: no operand */
    _Bool operands;        /* more than one allowed */
    const char *summary;
    const char *detail; /* paragraphs, or NULL */
    const struct iw_option *options;
    size_t option_count;
    const char *examples; /* lines */
    const char *exits;    /* lines, or NULL for the common ones */
};

enum { IW_OPTION_DONE = -1 };

/* Parses `argv`, whose first element is the command: calls `take` with the index of each option and its
 * argument in `optarg`, until `take` returns an exit code other than 0. Then checks the number of operands.
 * Returns IW_OPTION_DONE if the operands begin at argv[optind]; otherwise the exit code of the command,
 * after printing the help or one line of error on stderr. */
int iw_option_all(const struct iw_usage *usage, int argc, char **argv,
    int (*take)(void *settings, int option), void *settings);

/* Prints "warpcheck COMMAND: text" on stderr, and returns the exit code of usage and environment. */
int iw_option_error(const struct iw_usage *usage, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Reads a decimal number from `low` to `high`. Returns false if `text` is not one. */
_Bool iw_option_number(const char *text, unsigned long low, unsigned long high, unsigned long *number);

/* Reads seconds, optionally with a fraction ("0.5"), from 1 ms to `high` seconds, as milliseconds. Returns
 * false if `text` is not that. */
_Bool iw_option_seconds(const char *text, unsigned long high, uint32_t *ms);

/* Splits "HOST:PORT" or "[HOST]:PORT". Returns false if it is neither, if the host exceeds `host_octets`,
 * or if the port is not 0 to 65535. */
_Bool iw_option_address(const char *text, char *host, size_t host_octets, unsigned short *port);

/* The same, or only a port: then the host is `otherwise`. */
_Bool iw_option_address_or_port(
    const char *text, const char *otherwise, char *host, size_t host_octets, unsigned short *port);

/* An SCTP address: "HOST:PORT" in IP; "udp:HOST:PORT" in UDP (RFC 6951) at port 9899; "udp/PORT:HOST:PORT"
 * at another UDP port. Returns false if it is none of these, or where iw_option_address does. */
_Bool iw_option_sctp(const char *text, char *host, size_t host_octets, unsigned short *port, _Bool *tunnelled,
    unsigned short *tunnel);

#endif
