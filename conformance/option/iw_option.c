#include "iw_option.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_exit.h"
#include "iw_show.h"
#include "iw_suggest.h"

enum { OPTION_COUNT_MAX = 64 };

/* Results of option_next besides the index of an option and IW_OPTION_DONE. */
enum {
    OPTION_HELP = -2,  /* the help text has been printed */
    OPTION_WRONG = -3, /* the option is wrong; the error has been printed */
};

/* "warpcheck " before the name of a command, for messages. */
static const char *option_program(const struct iw_usage *usage) {
    return usage->alone ? "" : "warpcheck ";
}

static int option_report_unknown(const struct iw_usage *usage, const char *word) {
    int length = (int)strcspn(word, "=");
    char name[IW_SUGGEST_LENGTH_MAX + 2];
    struct iw_suggest suggest;

    snprintf(name, sizeof name, "%.*s", length - 2, word + 2);
    iw_suggest_init(&suggest, name);
    for (size_t i = 0; i < usage->option_count; i++)
        if (usage->options[i].help != NULL)
            iw_suggest_consider(&suggest, usage->options[i].name);
    iw_suggest_consider(&suggest, iw_usage_help.name);
    if (suggest.name != NULL)
        return iw_option_error(usage, "unknown option %.*s (did you mean --%s?)", length, word, suggest.name);
    return iw_option_error(
        usage, "unknown option %s (see %s%s --help)", word, option_program(usage), usage->command);
}

static int option_report_getopt(const struct iw_usage *usage, int found, char **argv) {
    const char *last = argv[optind - 1];

    if (found == ':')
        iw_option_error(usage, "option %s needs an argument", last);
    else if (optopt && strncmp(last, "--", 2) != 0)
        iw_option_error(
            usage, "unknown option -%c (see %s%s --help)", optopt, option_program(usage), usage->command);
    else if (optopt >= 256)
        iw_option_error(usage, "option --%s takes no argument", usage->options[optopt - 256].name);
    else
        option_report_unknown(usage, last);
    return OPTION_WRONG;
}

/* Returns the word of the command line if it abbreviates the option; otherwise NULL. getopt accepts
 * abbreviations, and would take `synth --peer` for --peer-script. */
static const char *option_abbreviation(const struct iw_option *option, char **argv) {
    const char *word = argv[optind - (optarg != NULL && optarg == argv[optind - 1] ? 2 : 1)];
    size_t length = strcspn(word, "=");

    return strncmp(word, "--", 2) == 0 && length != 2 + strlen(option->name) ? word : NULL;
}

/* Returns whether the argument is a separate word that names an option: the argument itself was forgotten. */
static bool option_lacks_argument(const struct iw_usage *usage, char **argv) {
    if (optarg == NULL || optarg != argv[optind - 1] || strncmp(optarg, "--", 2) != 0)
        return false;
    for (size_t i = 0; i < usage->option_count; i++)
        if (strcmp(optarg + 2, usage->options[i].name) == 0)
            return true;
    return strcmp(optarg + 2, iw_usage_help.name) == 0;
}

/* Prints the help text, or the form of it that --help=FORM names. */
static int option_help(const struct iw_usage *usage) {
    const struct iw_usage_form *form = optarg != NULL ? iw_usage_form_find(optarg) : &iw_usage_text;

    if (form == NULL) {
        iw_option_error(usage, "--help takes %s, not %s", "text, man, bash, zsh or fish", optarg);
        return OPTION_WRONG;
    }
    form->usage(stdout, usage);
    return OPTION_HELP;
}

static int option_next_any(const struct iw_usage *usage, int argc, char **argv) {
    struct option longs[OPTION_COUNT_MAX + 2] = {{0}};
    char letters[2 * OPTION_COUNT_MAX + 4] = ":h";
    int found;

    assert(usage->option_count <= OPTION_COUNT_MAX);
    for (size_t i = 0; i < usage->option_count; i++) {
        const struct iw_option *option = &usage->options[i];
        size_t length = strlen(letters);

        longs[i] = (struct option){
            option->name, option->argument ? required_argument : no_argument, NULL, 256 + (int)i};
        if (option->letter)
            snprintf(letters + length, sizeof letters - length, "%c%s", option->letter,
                option->argument ? ":" : "");
    }
    longs[usage->option_count] = (struct option){"help", optional_argument, NULL, 'h'};
    opterr = 0;
    found = getopt_long(argc, argv, letters, longs, NULL);
    if (found == -1)
        return IW_OPTION_DONE;
    if (found == 'h')
        return option_help(usage);
    if (found == '?' || found == ':')
        return option_report_getopt(usage, found, argv);
    if (found >= 256) {
        const char *word = option_abbreviation(&usage->options[found - 256], argv);

        if (word == NULL)
            return found - 256;
        iw_option_error(usage, "unknown option %.*s (did you mean --%s?)", (int)strcspn(word, "="), word,
            usage->options[found - 256].name);
        return OPTION_WRONG;
    }
    for (size_t i = 0; i < usage->option_count; i++)
        if (usage->options[i].letter == found)
            return (int)i;
    return option_report_getopt(usage, found, argv);
}

static int option_next(const struct iw_usage *usage, int argc, char **argv) {
    int found = option_next_any(usage, argc, argv);

    if (found < 0 || !option_lacks_argument(usage, argv))
        return found;
    iw_option_error(usage, "option --%s needs an argument before %s", usage->options[found].name, optarg);
    return OPTION_WRONG;
}

static int option_check_operands(const struct iw_usage *usage, int argc, char **argv) {
    if (usage->instead != NULL && optind < argc)
        return iw_option_error(
            usage, "unexpected argument %s: use %s %s", argv[optind], usage->instead, argv[optind]);
    if (usage->operand == NULL && optind < argc)
        return iw_option_error(usage, "unexpected argument %s (see %s%s --help)", argv[optind],
            option_program(usage), usage->command);
    if (usage->operand != NULL && !usage->operand_optional && optind == argc)
        return iw_option_error(
            usage, "no %s given (see %s%s --help)", usage->operand, option_program(usage), usage->command);
    if (usage->operand != NULL && !usage->operands && optind < argc - 1)
        return iw_option_error(usage, "more than one %s given", usage->operand);
    return IW_OPTION_DONE;
}

int iw_option_all(const struct iw_usage *usage, int argc, char **argv, void *settings) {
    int found, code;

    while ((found = option_next(usage, argc, argv)) >= 0) {
        const struct iw_option *option = &usage->options[found];

        if (usage->note)
            usage->note(settings, option);
        if ((code = option->take(usage, option, (char *)settings + option->at)) != IW_EXIT_CONFORMS)
            return code;
    }
    if (found != IW_OPTION_DONE)
        return found == OPTION_HELP ? IW_EXIT_CONFORMS : IW_EXIT_ENVIRONMENT;
    return option_check_operands(usage, argc, argv);
}

int iw_option_text(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    (void)usage;
    (void)option;
    *(const char **)at = optarg;
    return 0;
}

int iw_option_flag(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    (void)usage;
    (void)option;
    *(bool *)at = true;
    return 0;
}

int iw_option_number(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    unsigned long number;

    if (!iw_option_read_number(optarg, option->low, option->high, &number))
        return option->takes != NULL ? iw_option_refuse(usage, option, option->takes)
                                     : iw_option_error(usage, "--%s takes a number from %lu to %lu, not %s",
                                           option->name, option->low, option->high, optarg);
    if (option->octets == sizeof(uint8_t))
        *(uint8_t *)at = (uint8_t)number;
    else if (option->octets == sizeof(uint16_t))
        *(uint16_t *)at = (uint16_t)number;
    else if (option->octets == sizeof(uint32_t))
        *(uint32_t *)at = (uint32_t)number;
    else
        *(uint64_t *)at = number;
    return 0;
}

int iw_option_error(const struct iw_usage *usage, const char *format, ...) {
    va_list arguments;
    char text[4096];

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    iw_show_line(text, sizeof text, text); /* parts of the text may come from a file */
    fprintf(stderr, "%s%s: %s\n", option_program(usage), usage->command, text);
    return IW_EXIT_ENVIRONMENT;
}

int iw_option_refuse(const struct iw_usage *usage, const struct iw_option *option, const char *words) {
    return iw_option_error(usage, "--%s takes %s, not %s", option->name, words, optarg);
}

bool iw_option_read_number(const char *text, unsigned long low, unsigned long high, unsigned long *number) {
    char *end;

    if (text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    *number = strtoul(text, &end, 10);
    return errno == 0 && *end == '\0' && *number >= low && *number <= high;
}

bool iw_option_read_octets(const char *text, uint64_t high, uint64_t *octets) {
    static const char units[] = "KMG";
    size_t length = strspn(text, "0123456789");
    const char *unit = text[length] == '\0' ? NULL : strchr(units, text[length]);
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    char digits[24];
    unsigned long number;

    if (length >= sizeof digits || text[length + (unit != NULL)] != '\0')
        return false;
    memcpy(digits, text, length);
    digits[length] = '\0';
    if (!iw_option_read_number(digits, 0, high >> shift, &number))
        return false;
    *octets = (uint64_t)number << shift;
    return true;
}

bool iw_option_read_seconds(const char *text, unsigned long high, uint32_t *ms) {
    size_t whole = strspn(text, "0123456789"), fraction = 0;
    char *end;
    double seconds;

    if (text[whole] == '.')
        fraction = strspn(text + whole + 1, "0123456789");
    seconds = strtod(text, &end);
    if (whole + fraction == 0 || *end != '\0' || text[whole + (text[whole] == '.') + fraction] != '\0' ||
        seconds < 0.001 || seconds > (double)high)
        return false;
    *ms = (uint32_t)(1000 * seconds + 0.5);
    return true;
}

bool iw_option_address(const char *text, char *host, size_t host_octets, unsigned short *port) {
    const char *colon = strrchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : 0;
    unsigned long number;

    if (length >= 2 && text[0] == '[' && text[length - 1] == ']') {
        text++;
        length -= 2;
    } else if (length > 0 && memchr(text, ':', length)) {
        return false;
    }
    if (length == 0 || length >= host_octets || !iw_option_read_number(colon + 1, 0, UINT16_MAX, &number))
        return false;
    memcpy(host, text, length);
    host[length] = '\0';
    *port = (unsigned short)number;
    return true;
}

bool iw_option_address_or_port(
    const char *text, const char *otherwise, char *host, size_t host_octets, unsigned short *port) {
    unsigned long number;

    if (!iw_option_read_number(text, 0, UINT16_MAX, &number))
        return iw_option_address(text, host, host_octets, port);
    if ((size_t)snprintf(host, host_octets, "%s", otherwise) >= host_octets)
        return false;
    *port = (unsigned short)number;
    return true;
}
