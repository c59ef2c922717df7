/* iw_fuzz_replay [-v] [-n TIMES] FILE...: shows each file as the fuzz target does: a capture, if its name
 * ends in .pcap or .pcapng, otherwise an input of the target. With -v, prints the items of iWARP. With -n,
 * shows all files TIMES times; the exit code is 1 if the heap grows after the first tenth of them. */

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IW_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define IW_SANITIZED
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "iw_capture_file.h"
#include "iw_fuzz_rendered.h"
#include "iw_fuzz_run.h"
#include "iw_fuzz_session.h"

enum {
    FILE_OCTETS_MAX = 1 << 20,
    FRAMES_MAX = 20000,
    ERROR_OCTETS = 4096,
    GROWTH_OCTETS_MAX = 16384, /* tolerated for Wireshark's own data */
};

static void fail(const char *text) {
    fprintf(stderr, "iw_fuzz_replay: %s\n", text);
    exit(3);
}

/* ---- memory ---- */

#ifdef IW_SANITIZED
/* Declared here, as gcc lacks the header. */
size_t __sanitizer_get_current_allocated_bytes(void);
#endif

/* Octets in use, with a sanitizer; otherwise 0, as the C library also counts memory that it keeps for
 * reuse. */
static size_t heap_octets(void) {
#ifdef IW_SANITIZED
    return __sanitizer_get_current_allocated_bytes();
#else
    return 0;
#endif
}

/* ---- files ---- */

static void replay_input(const char *path) {
    static uint8_t octets[FILE_OCTETS_MAX];
    FILE *file = fopen(path, "rb");
    size_t length;
    uint8_t *exact;

    if (file == NULL)
        fail(path);
    length = fread(octets, 1, sizeof octets, file);
    fclose(file);
    exact = malloc(length > 0 ? length : 1);
    if (exact == NULL)
        fail("no memory");
    memcpy(exact, octets, length);
    iw_fuzz_run(exact, length);
    free(exact);
}

static void keep_packet(struct iw_packet *kept, const struct iw_packet *packet) {
    uint8_t *octets = malloc(packet->captured > 0 ? packet->captured : 1);

    if (octets == NULL)
        fail("no memory");
    memcpy(octets, packet->octets, packet->captured);
    *kept = *packet;
    kept->octets = octets;
}

static void replay_capture(const char *path) {
    static struct iw_packet frames[FRAMES_MAX];
    char error[ERROR_OCTETS];
    struct iw_capture_file *file;
    struct iw_packet packet;
    unsigned count = 0;

    if (iw_capture_file_open(path, &file, error, sizeof error) != IW_OK)
        fail(error);
    while (
        count < FRAMES_MAX && iw_capture_file_next(file, &packet, error, sizeof error) == IW_CAPTURE_PACKET)
        keep_packet(&frames[count++], &packet);
    iw_capture_file_close(file);
    iw_fuzz_session_run(frames, count, 0);
    for (unsigned i = 0; i < count; i++)
        free((void *)frames[i].octets);
}

static void replay(const char *path) {
    const char *dot = strrchr(path, '.');

    if (dot != NULL && (strcmp(dot, ".pcap") == 0 || strcmp(dot, ".pcapng") == 0))
        replay_capture(path);
    else
        replay_input(path);
}

int main(int argc, char **argv) {
    unsigned long times = 1;
    size_t before = 0, after;
    int option;

    while ((option = getopt(argc, argv, "vn:")) != -1)
        if (option == 'v')
            iw_fuzz_rendered_print = true;
        else
            times = option == 'n' ? strtoul(optarg, NULL, 10) : 0;
    if (optind == argc || times == 0) {
        fprintf(stderr, "usage: %s [-v] [-n TIMES] FILE...\n", argv[0]);
        return 3;
    }
    if (!iw_fuzz_session_start())
        fail("Wireshark does not start");
    for (unsigned long time = 0; time < times; time++) {
        if (time == times / 10)
            before = heap_octets();
        for (int i = optind; i < argc; i++)
            replay(argv[i]);
    }
    after = heap_octets();
    iw_fuzz_session_end();
    printf("%d files, %lu times", argc - optind, times);
    if (times >= 10)
        printf("; the heap grew by %ld octets since time %lu", (long)(after - before), times / 10);
    printf("\n");
    return times >= 10 && after > before + GROWTH_OCTETS_MAX ? 1 : 0;
}
