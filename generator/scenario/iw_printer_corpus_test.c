#include <assert.h>
#include <fts.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "iw_conversation.h"
#include "iw_printer.h"
#include "iw_synth.h"
#include "iw_temporary_test.h"

/* The property of the printer over the whole corpus: two scripts made from the two sides of a conversation,
 * played against each other, repeat that conversation: the same octets of each side, the same frames, FPDUs
 * and violations in them, and the same ends. A table lists the exceptions with their reasons.
 *
 * Usage: iw_printer_corpus_test CAPTURES TABLE. A line of the table: file, connection (0: all of them), what
 * differs or why the conversation cannot be played, and an explanation for the reader; separated by TABs. */

enum { FILES_MAX = 1024, ROWS_MAX = 256 };

/* Sanitizers make a capture several times as slow: then every third one. */
#ifdef __SANITIZE_ADDRESS__
enum { STEP = 3 };
#else
enum { STEP = 1 };
#endif

struct row {
    char file[160];
    uint64_t connection;
    char reason[200];
    bool used;
};

static char *files[FILES_MAX];
static size_t file_count, root_length;
static struct row rows[ROWS_MAX];
static size_t row_count;
static unsigned failures, replayed;
static char folder[TEMPORARY_PATH];

static void complain(const char *file, uint64_t connection, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void complain(const char *file, uint64_t connection, const char *format, ...) {
    va_list arguments;

    failures++;
    fprintf(stderr, "FAILED: %s connection %" PRIu64 ": ", file, connection);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

/* ---- the corpus and the table ---- */

static void find_captures(char *root) {
    char *roots[] = {root, NULL};
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);

    assert(tree != NULL);
    for (FTSENT *entry; (entry = fts_read(tree)) != NULL;) {
        const char *dot = strrchr(entry->fts_name, '.');

        if (entry->fts_info != FTS_F || dot == NULL ||
            (strcmp(dot, ".pcap") != 0 && strcmp(dot, ".pcapng") != 0))
            continue;
        assert(file_count < FILES_MAX);
        files[file_count++] = strdup(entry->fts_path);
    }
    fts_close(tree);
}

static int by_name(const void *one, const void *other) {
    return strcmp(*(char *const *)one, *(char *const *)other);
}

static void read_table(const char *path) {
    FILE *table = fopen(path, "r");
    char line[512];

    if (table == NULL) {
        perror(path);
        exit(1);
    }
    while (fgets(line, sizeof line, table) != NULL) {
        struct row *row = &rows[row_count];

        if (line[0] == '#')
            continue;
        assert(row_count < ROWS_MAX);
        if (sscanf(line, "%159[^\t]\t%" SCNu64 "\t%199[^\t\n]", row->file, &row->connection, row->reason) !=
            3)
            complain(path, 0, "no row: %s", line);
        row_count++;
    }
    fclose(table);
}

static struct row *find_row(const char *file, uint64_t connection) {
    for (size_t i = 0; i < row_count; i++)
        if (strcmp(rows[i].file, file) == 0 && rows[i].connection == connection)
            return &rows[i];
    return NULL;
}

/* The table has only the beginning of this reason, because the rest names temporary files. */
#define SCRIPTS_FAIL "the scripts fail"

static bool same_reason(const char *expected, const char *reason) {
    return strcmp(expected, reason) == 0 ||
           (strcmp(expected, SCRIPTS_FAIL) == 0 && strncmp(reason, SCRIPTS_FAIL, strlen(SCRIPTS_FAIL)) == 0);
}

/* Compares the reason, which may be "", with the table's. */
static void compare_reason(const char *file, uint64_t connection, const char *reason) {
    struct row *row = find_row(file, connection);

    if (row != NULL)
        row->used = true;
    if (!same_reason(row == NULL ? "" : row->reason, reason))
        complain(
            file, connection, "reason \"%s\", the table has \"%s\"", reason, row == NULL ? "" : row->reason);
}

/* ---- playing ---- */

static void path_of(char path[TEMPORARY_FILE], const char *name) {
    snprintf(path, TEMPORARY_FILE, "%s/%s", folder, name);
}

static bool write_script(const struct iw_conversation *conversation, enum iw_side side, const char *name,
    char path[TEMPORARY_FILE]) {
    struct iw_printer_options options = {.side = side, .file = name};
    uint64_t octets;

    path_of(path, name);
    FILE *out = fopen(path, "w");
    assert(out != NULL);
    enum iw_status status = iw_printer_print(conversation, &options, out, &octets);
    return fclose(out) == 0 && status == IW_OK;
}

/* Plays both scripts against each other. Returns whether both ended well; *said returns what they printed. */
static bool play(const struct iw_conversation *conversation, char output[TEMPORARY_FILE], char **said) {
    char opener[TEMPORARY_FILE], other[TEMPORARY_FILE];
    size_t length;
    FILE *out = open_memstream(said, &length);
    bool good = write_script(conversation, IW_SIDE_A, "opener.lua", opener) &&
                write_script(conversation, IW_SIDE_B, "other.lua", other);

    path_of(output, "again.pcapng");
    struct iw_synth_options options = {
        .script = opener, .peer = other, .output = output, .quiet = true, .out = out, .err = out};
    if (good)
        good = iw_synth(&options) == IW_EXIT_CONFORMS;
    fclose(out);
    return good;
}

/* ---- comparing ---- */

static bool same_findings(const struct iw_conversation_unit *one, const struct iw_conversation_unit *other) {
    for (size_t i = 0; i < IW_CONVERSATION_FINDINGS_MAX; i++)
        if (one->findings[i] != other->findings[i])
            return false;
    return true;
}

/* The ends: a side without an end in the capture ends with its script. */
static bool same_end(const struct iw_conversation_side *was, const struct iw_conversation_side *is) {
    if (was->rst.order != 0)
        return is->rst.order != 0 && (was->fin.order != 0) == (is->fin.order != 0);
    return was->fin.order == 0 || (is->fin.order != 0 && is->rst.order == 0);
}

static const char *compare_side(const struct iw_conversation_side *was, const struct iw_conversation_side *is,
    enum iw_side side, char text[512]) {
    const char *name = side == IW_SIDE_A ? "opener" : "other";
    size_t at = 0;

    while (at < was->length && at < is->length && was->octets[at] == is->octets[at])
        at++;
    snprintf(text, 512, "%s: octets differ at %zu: %zu, once %zu", name, at, is->length, was->length);
    if (at < was->length || at < is->length)
        return text;
    for (size_t i = 0; i < was->unit_count && i < is->unit_count; i++) {
        snprintf(text, 512, "%s: other findings in frame %" PRIu64, name, was->units[i].frame);
        if (was->units[i].offset != is->units[i].offset || !same_findings(&was->units[i], &is->units[i]))
            return text;
    }
    if (was->unit_count != is->unit_count)
        return "not as many FPDUs";
    return same_end(was, is) ? "" : "another end";
}

/* Returns the difference, or "". */
static const char *replay(const struct iw_conversation *was, char text[512]) {
    static const struct iw_conversation_choice first = {0};
    struct iw_conversation again;
    struct iw_conversation_count count;
    char output[TEMPORARY_FILE], error[256], *said;
    const char *difference = "";

    replayed++;
    bool played = play(was, output, &said);
    snprintf(text, 512, SCRIPTS_FAIL ": %.400s", said);
    free(said);
    if (!played)
        return text;
    if (iw_conversation_read(output, &first, &again, &count, error, sizeof error) != IW_OK)
        difference = "nothing was sent";
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B && *difference == '\0'; side++)
        difference = compare_side(&was->side[side], &again.side[side], side, text);
    iw_conversation_dispose(&again);
    return difference;
}

static void replay_file(const char *path) {
    const char *file = path + root_length + 1;
    struct iw_conversation_count count = {.connections = 1};

    for (uint64_t n = 1; n <= count.connections; n++) {
        struct iw_conversation_choice choice = {.connection = n};
        struct iw_conversation conversation;
        char error[256];
        enum iw_status status =
            iw_conversation_read(path, &choice, &conversation, &count, error, sizeof error);

        char text[512];

        if (status == IW_ERR_ARGUMENT)
            compare_reason(file, 0, count.sctp ? "over SCTP" : "no iWARP");
        else if (status != IW_OK)
            complain(file, n, "%s", error);
        else
            compare_reason(
                file, n, conversation.broken[0] != '\0' ? conversation.broken : replay(&conversation, text));
        iw_conversation_dispose(&conversation);
    }
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "Usage: iw_printer_corpus_test CAPTURES TABLE\n");
        return 2;
    }
    root_length = strlen(argv[1]);
    find_captures(argv[1]);
    qsort(files, file_count, sizeof *files, by_name);
    read_table(argv[2]);
    if (mkdtemp(temporary_path(folder, "iw_printer_corpus_test")) == NULL)
        return 1;
    for (size_t i = 0; i < file_count; i++) {
        if (i % STEP == 0)
            replay_file(files[i]);
        free(files[i]);
    }
    for (size_t i = 0; i < row_count; i++)
        if (STEP == 1 && !rows[i].used)
            complain(rows[i].file, rows[i].connection, "nothing like that: %s", rows[i].reason);
    for (size_t i = 0; i < 3; i++) {
        static const char *const names[] = {"opener.lua", "other.lua", "again.pcapng"};
        char path[TEMPORARY_FILE];

        path_of(path, names[i]);
        unlink(path);
    }
    rmdir(folder);
    printf("%zu captures, %u connections played again, %u failures\n", (file_count + STEP - 1) / STEP,
        replayed, failures);
    return failures == 0 && replayed > 0 ? 0 : 1;
}
