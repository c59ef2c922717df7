/* INPUT...: runs the fuzz target that it is linked with on the given inputs. */

#include "iw_fuzz_target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INPUT_OCTETS_MAX = 1 << 20 };

static void replay(const char *path) {
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
    memcpy(exact, input, length);
    LLVMFuzzerTestOneInput(exact, length);
    free(exact);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: %s INPUT...\n", argv[0]);
        return 3;
    }
    for (int i = 1; i < argc; i++)
        replay(argv[i]);
    return 0;
}
