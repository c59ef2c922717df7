#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_sctp_link.h"

/* Parses the options and operands of a subcommand, and prints its help text. */

struct iw_usage;
struct iw_option;

/* Converts `optarg`, the argument of an option, and sets *at. Returns 0, or an exit code after an error. */
typedef int iw_option_take(const struct iw_usage *usage, const struct iw_option *option, void *at);

struct iw_option {
    const char *name;     /* without --, such as "format" */
    const char *argument; /* name for the help, such as "FILE"; NULL: no argument */
    char letter;          /* short option, such as 'o' for -o; 0: none */
    const char *help;     /* NULL: an old name of an option; not in the help text */
    iw_option_take *take;
    size_t at;               /* offset of the member to set in the settings of the command */
    size_t octets;           /* size of that member, if it is a number */
    unsigned long low, high; /* smallest and largest valid number */
    const char *takes;       /* valid numbers, for the error message; NULL: the message has the bounds */
};

/* The last members of an option row: the option sets an unsigned integer of any size. */
#define IW_OPTION_NUMBER(type, member, least, most)                                                          \
    iw_option_number, .at = offsetof(type, member), .octets = sizeof((type *)NULL)->member, .low = (least),  \
                      .high = (most)

/* Set the member: to the argument as a text (not copied), to true, or to the argument as a number. */
iw_option_take iw_option_text, iw_option_flag, iw_option_number;

struct iw_usage {
    const char *command;   /* name, such as "check" */
    const char *arguments; /* for the help, such as "[OPTION...] FILE..." */
    const char *operand;   /* name of the required operand, such as "file"; NULL: no operand */
    const char *instead;   /* option to suggest if a user gives an operand; NULL: none */
    bool operands;         /* there may be several operands */
    bool optional;         /* there may be no operand; the command tells when */
    const char *summary;
    const char *detail; /* paragraphs */
    const struct iw_option *options;
    size_t option_count;
    const char *examples;                                         /* lines */
    const char *exits;                                            /* lines */
    void (*note)(void *settings, const struct iw_option *option); /* called before `take`; may be NULL */
};

/* Two members of struct iw_usage: the rows of the array `rows`. */
#define IW_USAGE_OPTIONS(rows) .options = (rows), .option_count = sizeof(rows) / sizeof *(rows)

enum { IW_OPTION_DONE = -1 };

/* The format that iw_option_address reads, for messages. */
#define IW_OPTION_ADDRESS "HOST:PORT, PORT at most 65535, IPv6 as [HOST]:PORT"

/* Parses the command line; argv[0] is the name of the command. Calls `take` for each option, then checks the
 * number of operands. Returns IW_OPTION_DONE if all is well; the operands begin at argv[optind]. Otherwise
 * returns the exit code, after printing the help text or one line on stderr. */
int iw_option_all(const struct iw_usage *usage, int argc, char **argv, void *settings);

/* Prints "warpcheck COMMAND: text" on stderr. Returns the exit code for a usage error. */
int iw_option_error(const struct iw_usage *usage, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints "--NAME takes WORDS, not ARGUMENT" as iw_option_error does. Returns the exit code. */
int iw_option_refuse(const struct iw_usage *usage, const struct iw_option *option, const char *words);

/* Reads a decimal number from `low` to `high`. Returns false for any other text. */
bool iw_option_read_number(const char *text, unsigned long low, unsigned long high, unsigned long *number);

/* Reads a number up to `high`, which may end in K, M or G (KiB, MiB, GiB). Returns false otherwise. */
bool iw_option_read_octets(const char *text, uint64_t high, uint64_t *octets);

/* Converts seconds such as "0.5", from 0.001 to `high`, to milliseconds. Returns false otherwise. */
bool iw_option_read_seconds(const char *text, unsigned long high, uint32_t *ms);

/* Splits "HOST:PORT" or "[HOST]:PORT". Returns false for any other format, a port above 65535, or a host that
 * needs more than `host_octets` with its NUL. */
bool iw_option_address(const char *text, char *host, size_t host_octets, unsigned short *port);

/* Like iw_option_address. If `text` is only a port, the host is `otherwise`. */
bool iw_option_address_or_port(
    const char *text, const char *otherwise, char *host, size_t host_octets, unsigned short *port);

/* Reads an SCTP address: "HOST:PORT" is in IP, "udp:HOST:PORT" in UDP (RFC 6951) at port 9899,
 * "udp/PORT:HOST:PORT" at that UDP port. Sets where->host to `host`. Returns false for any other text. */
bool iw_option_sctp(const char *text, char *host, size_t host_octets, struct iw_sctp_where *where);
