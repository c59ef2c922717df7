#include "iw_fuzz_replay.h"

#include <stdio.h>
#include <stdlib.h>

enum { INPUT_OCTETS_MAX = 1 << 20 };

static void replay(const char *path, void (*take)(const uint8_t *input, size_t length)) {
    static uint8_t input[INPUT_OCTETS_MAX];
    FILE *file = fopen(path, "rb");
    uint8_t *exact;
    size_t length;

    if (file == NULL) {
        perror(path);
        exit(3);
    }
    length = fread(input, 1, sizeof input, file);
    fclose(file);
    exact = malloc(length > 0 ? length : 1); /* exact size: a sanitizer detects reads beyond it */
    if (exact == NULL)
        exit(4);
    for (size_t i = 0; i < length; i++)
        exact[i] = input[i];
    take(exact, length);
    free(exact);
}

int iw_fuzz_replay_files(int argc, char **argv, void (*take)(const uint8_t *input, size_t length)) {
    if (argc < 2) {
        fprintf(stderr, "usage: %s INPUT...\n", argv[0]);
        return 3;
    }
    for (int i = 1; i < argc; i++)
        replay(argv[i], take);
    return 0;
}
