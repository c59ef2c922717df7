#ifndef IW_OPTION_H
#define IW_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_sctp_link.h"

/* The options and operands of a subcommand, from which its help text is made. */

struct iw_usage;
struct iw_option;

/* Takes an option with its argument in `optarg`, and sets the value that `at` points to. Returns 0, or the
 * exit code after one line on stderr. */
typedef int iw_option_take(const struct iw_usage *usage, const struct iw_option *option, void *at);

struct iw_option {
    const char *name;     /* "format" for --format */
    const char *argument; /* "FILE"; NULL: no argument */
    char letter;          /* 'o' for -o; 0 for none */
    const char *help;     /* NULL: an old name of the option, which --help does not show */
    iw_option_take *take;
    size_t at;               /* offset, in the settings of the command, of the member that the option sets */
    size_t octets;           /* size of a number in the settings */
    unsigned long low, high; /* bounds of a number */
    const char *takes; /* describes a valid number in the error message; NULL: the message shows the bounds */
};

/* The last members of a row that sets an unsigned number of any size. */
#define IW_OPTION_NUMBER(type, member, least, most)                                                          \
    iw_option_number, .at = offsetof(type, member), .octets = sizeof((type *)NULL)->member, .low = (least),  \
                      .high = (most)

/* Store the argument as a text, set a bool to true, and store the argument as a number. */
iw_option_take iw_option_text, iw_option_flag, iw_option_number;

struct iw_usage {
    const char *command;   /* "check" */
    const char *arguments; /* "[OPTION...] FILE..." */
    const char *operand;   /* "file": required; NULL: no operand */
    const char *instead; /* without operands: the option to suggest to a user who gives an operand; or NULL */
    bool operands;       /* more than one operand is allowed */
    const char *summary;
    const char *detail; /* paragraphs */
    const struct iw_option *options;
    size_t option_count;
    const char *examples;                                         /* lines */
    const char *exits;                                            /* lines */
    void (*note)(void *settings, const struct iw_option *option); /* called before each option; or NULL */
};

enum { IW_OPTION_DONE = -1 };

/* Describes what iw_option_address reads. */
#define IW_OPTION_ADDRESS "HOST:PORT, PORT at most 65535, IPv6 as [HOST]:PORT"

/* Parses `argv`, whose first element is the command: takes each option, until one returns an exit code other
 * than 0. Then checks the number of operands. Returns IW_OPTION_DONE if the operands begin at argv[optind];
 * otherwise the exit code of the command, after printing the help or one line of error on stderr. */
int iw_option_all(const struct iw_usage *usage, int argc, char **argv, void *settings);

/* Prints "warpcheck COMMAND: text" on stderr, and returns the exit code of usage and environment. */
int iw_option_error(const struct iw_usage *usage, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Reports a wrong argument: "--NAME takes WORDS, not ARGUMENT". Returns the exit code. */
int iw_option_refuse(const struct iw_usage *usage, const struct iw_option *option, const char *words);

/* Reads a decimal number from `low` to `high`. Returns false if `text` is not one. */
bool iw_option_read_number(const char *text, unsigned long low, unsigned long high, unsigned long *number);

/* Reads a number of octets of at most `high`, optionally with K, M or G for KiB, MiB or GiB. Returns false if
 * `text` is not that. */
bool iw_option_read_octets(const char *text, uint64_t high, uint64_t *octets);

/* Reads seconds, optionally with a fraction ("0.5"), from 1 ms to `high` seconds, as milliseconds. Returns
 * false if `text` is not that. */
bool iw_option_read_seconds(const char *text, unsigned long high, uint32_t *ms);

/* Splits "HOST:PORT" or "[HOST]:PORT". Returns false for any other format, if the host with its NUL exceeds
 * `host_octets`, or if the port is not 0 to 65535. */
bool iw_option_address(const char *text, char *host, size_t host_octets, unsigned short *port);

/* Like iw_option_address; a port alone is also valid, with the host `otherwise`. */
bool iw_option_address_or_port(
    const char *text, const char *otherwise, char *host, size_t host_octets, unsigned short *port);

/* An SCTP address: "HOST:PORT" in IP; "udp:HOST:PORT" in UDP (RFC 6951) at port 9899; "udp/PORT:HOST:PORT" at
 * that UDP port. Sets where->host to `host`. Returns false for any other format, or if iw_option_address
 * rejects HOST:PORT. */
bool iw_option_sctp(const char *text, char *host, size_t host_octets, struct iw_sctp_where *where);

#endif
