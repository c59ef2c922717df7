#include "iw_console.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iw_show.h"

enum {
    CONTEXT_LINES = 10,
    EXCERPT_OCTETS = 16 << 10,
    CHUNK_OCTETS = 4096, /* a longer line is read in parts */
};

/* Messages of the Linux kernel that report a crash or hang. */
static const char builtin[] =
    "(?-i)\\bBUG: |\\bkernel BUG at |\\bOops\\b|\\bKernel panic\\b|"
    "\\bgeneral protection fault\\b|\\b[Uu]nable to handle kernel |\\bdivide error: |"
    "\\bdouble fault: |\\bKASAN: |\\bKFENCE: |\\bwatchdog: .*lockup|"
    "\\bdetected stalls? on |\\bblocked for more than [0-9]+ seconds";

struct iw_console {
    char *path;
    struct iw_pattern *crashes;
    const struct iw_pattern *more;
    int file;
    off_t at;                     /* offset of the first line that is not yet read completely */
    off_t earlier[CONTEXT_LINES]; /* ring buffer: offsets of the last lines before `at` */
    size_t lines;                 /* number of lines read since the file was opened or truncated */
    char excerpt[EXCERPT_OCTETS + 1];
};

static int console_open(const char *path) {
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    if (file < 0)
        return -1;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode))
        return file;
    close(file);
    errno = 0;
    return -1;
}

static void console_start(struct iw_console *console, off_t at) {
    console->at = at;
    console->lines = 0;
}

struct iw_console *iw_console_new(
    const char *path, const struct iw_pattern *more, char *error, size_t error_octets) {
    struct iw_console *console = calloc(1, sizeof *console);
    char text[256];

    snprintf(error, error_octets, "out of memory");
    if (!console)
        return NULL;
    console->more = more;
    console->path = strdup(path);
    console->crashes = iw_pattern_new(builtin, text, sizeof text);
    console->file = console_open(path);
    if (console->file < 0)
        snprintf(error, error_octets, "%s: %s", path,
            errno != 0 ? strerror(errno) : "not a regular file; let a program write the console to one");
    if (console->path && console->crashes && console->file >= 0) {
        console_start(console, lseek(console->file, 0, SEEK_END));
        return console;
    }
    iw_console_free(console);
    return NULL;
}

void iw_console_free(struct iw_console *console) {
    if (!console)
        return;
    if (console->file >= 0)
        close(console->file);
    iw_pattern_free(console->crashes);
    free(console->path);
    free(console);
}

static bool console_is_crash(
    const struct iw_console *console, const char *text, char line[IW_CONSOLE_LINE_OCTETS]) {
    char whole[CHUNK_OCTETS + 1];

    iw_show_line(whole, sizeof whole, text);
    if (!iw_pattern_found(console->crashes, whole) &&
        !(console->more && iw_pattern_found(console->more, whole)))
        return false;
    iw_show_line(line, IW_CONSOLE_LINE_OCTETS, whole);
    return true;
}

static void console_keep_excerpt(struct iw_console *console) {
    size_t before = console->lines < CONTEXT_LINES ? console->lines : CONTEXT_LINES;
    off_t from = before > 0 ? console->earlier[(console->lines - before) % CONTEXT_LINES] : console->at;
    ssize_t count = pread(console->file, console->excerpt, EXCERPT_OCTETS, from);

    for (ssize_t i = 0; i < count; i++)
        console->excerpt[i] = console->excerpt[i] == '\0' ? ' ' : console->excerpt[i];
    console->excerpt[count > 0 ? count : 0] = '\0';
}

/* Handles the line at the start of `chunk`, which has `count` octets. Sets *found and `line` if it is the
 * first line that reports a crash. Returns the length of the line; 0 if the rest of the line may still
 * follow, but not if it reports a crash or fills the chunk. */
static size_t console_take_line(
    struct iw_console *console, char *chunk, size_t count, bool *found, char line[IW_CONSOLE_LINE_OCTETS]) {
    char *end = memchr(chunk, '\n', count);
    size_t length = end ? (size_t)(end - chunk) + 1 : count;
    size_t text = end ? length - 1 : length;

    for (size_t i = 0; i < text; i++)
        chunk[i] = chunk[i] == '\0' ? ' ' : chunk[i];
    if (text > 0 && chunk[text - 1] == '\r')
        text--;
    chunk[text] = '\0';
    if (!*found && console_is_crash(console, chunk, line)) {
        console_keep_excerpt(console);
        *found = true;
    } else if (!end && count < CHUNK_OCTETS)
        return 0;
    console->earlier[console->lines++ % CONTEXT_LINES] = console->at;
    return length;
}

/* Reads the open file to its end. Searches an incomplete last line now, and again once it is longer. */
static bool console_read_file(struct iw_console *console, char line[IW_CONSOLE_LINE_OCTETS]) {
    char chunk[CHUNK_OCTETS + 1];
    bool found = false;
    ssize_t count;

    while ((count = pread(console->file, chunk, CHUNK_OCTETS, console->at)) > 0) {
        size_t length = console_take_line(console, chunk, (size_t)count, &found, line);

        if (length == 0)
            break;
        console->at += (off_t)length;
    }
    return found;
}

bool iw_console_read(struct iw_console *console, char line[IW_CONSOLE_LINE_OCTETS]) {
    struct stat named, opened;
    bool found;
    int file;

    if (fstat(console->file, &opened) == 0 && opened.st_size < console->at)
        console_start(console, 0);
    found = console_read_file(console, line);
    if (stat(console->path, &named) != 0 || fstat(console->file, &opened) != 0 ||
        (named.st_ino == opened.st_ino && named.st_dev == opened.st_dev))
        return found;
    file = console_open(console->path);
    if (file < 0)
        return found;
    close(console->file);
    console->file = file;
    console_start(console, 0);
    return found || console_read_file(console, line);
}

void iw_console_put_excerpt(FILE *out, const struct iw_console *console) {
    for (const char *text = console->excerpt; *text != '\0';) {
        size_t length = strcspn(text, "\n");
        char part[CHUNK_OCTETS + 1], shown[CHUNK_OCTETS + 1];

        snprintf(part, sizeof part, "%.*s",
            (int)(length > 0 && text[length - 1] == '\r' ? length - 1 : length), text);
        iw_show_line(shown, sizeof shown, part);
        fprintf(out, "console: %s\n", shown);
        text += length + (text[length] == '\n');
    }
}
