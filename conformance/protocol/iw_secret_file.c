#include "iw_secret_file.h"

#include <stdio.h>
#include <sys/stat.h>

void iw_secret_file_warn(const char *program, const char *path) {
    struct stat status;

    if (path != NULL && stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
        (status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        fprintf(stderr, "%s: %s: other users can use this secret (mode %04o): chmod 600\n", program, path,
            (unsigned)status.st_mode & 07777);
}
