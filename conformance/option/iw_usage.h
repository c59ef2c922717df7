#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The table of a command: its options and texts. The help text, the manual page and the completion of shells
 * are made from it. */

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
    const char *lists;       /* topics of `warpcheck list` that have its values; NULL: none */
};

struct iw_usage {
    const char *command;   /* name, such as "check" */
    bool alone;            /* the command is a program of its own, instead of one of warpcheck's */
    const char *arguments; /* for the help, such as "[OPTION...] FILE..." */
    const char *operand;   /* name of the required operand, such as "file"; NULL: no operand */
    const char *instead;   /* option to suggest if a user gives an operand; NULL: none */
    bool operands;         /* there may be several operands */
    bool operand_optional; /* there may be no operand */
    const char *choices;   /* the valid operands, with | between them; NULL: any text */
    const char *summary;
    const char *detail; /* paragraphs */
    const struct iw_option *options;
    size_t option_count;
    const char *examples; /* lines */
    const char *exits;    /* lines */
    const char *see;      /* manual pages to see, such as "warpcheck-profile(5)"; NULL: none */
    void (*note)(void *settings, const struct iw_option *option); /* called before `take`; may be NULL */
};

/* Two members of struct iw_usage: the rows of the array `rows`. */
#define IW_USAGE_OPTIONS(rows) .options = (rows), .option_count = sizeof(rows) / sizeof *(rows)

/* A program with commands, for its manual page and for completion. */
struct iw_program {
    const char *name, *summary;
    const char *detail; /* paragraphs */
    const char *exits;  /* lines */
    const struct iw_program_command { const char *name, *summary; } * commands;
    size_t command_count;
    const char *see; /* further manual pages to see */
};

/* What can be made from a table. */
struct iw_usage_form {
    const char *name; /* "text", "man", "bash", "zsh", "fish" */
    void (*usage)(FILE *out, const struct iw_usage *usage);
    /* For a program with commands, around what `usage` prints of each: completion is one file for all. NULL:
     * the form has no such file. */
    void (*begin)(FILE *out, const struct iw_program *program);
    void (*end)(FILE *out, const struct iw_program *program);
};

extern const struct iw_usage_form iw_usage_text, iw_usage_man, iw_usage_bash, iw_usage_zsh, iw_usage_fish;

/* Finds a form by its name. Returns NULL for any other text. */
const struct iw_usage_form *iw_usage_form_find(const char *name);

/* The option --help, which each command has besides those of its table. */
extern const struct iw_option iw_usage_help;

/* What an option or operand takes, for completion. */
struct iw_usage_value {
    char words[512];   /* with blanks between them */
    const char *lists; /* topics of `warpcheck list`; NULL: none */
    bool files, folders;
};

struct iw_usage_value iw_usage_value(const struct iw_option *option);
struct iw_usage_value iw_usage_operand(const struct iw_usage *usage);

enum { IW_USAGE_BRIEF_OCTETS = 256 };

/* Copies the beginning of a help text, up to what only a reader of all of it needs, as one line. */
void iw_usage_brief(const char *help, char brief[IW_USAGE_BRIEF_OCTETS]);

/* Prints `name` as part of the name of a shell function: warpcheck_agent. */
void iw_usage_identifier(FILE *out, const char *name);
