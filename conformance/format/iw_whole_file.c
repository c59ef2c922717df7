#include "iw_whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iw_text.h"

static char *whole_file_part(const char *path) {
    return iw_text_format("%s.part", path);
}

static bool whole_file_is_replaced(const char *path) {
    struct stat there;

    return lstat(path, &there) != 0 || S_ISREG(there.st_mode);
}

int iw_whole_file_open(struct iw_whole_file *file, const char *path) {
    bool replaced = whole_file_is_replaced(path);
    int error;

    *file = (struct iw_whole_file){.path = path, .part = replaced ? whole_file_part(path) : NULL};
    if (replaced && file->part == NULL)
        return ENOMEM;
    file->out = fopen(replaced ? file->part : path, "w");
    if (file->out != NULL)
        return 0;
    error = errno;
    free(file->part);
    return error;
}

void iw_whole_file_discard(const char *path) {
    char *part = whole_file_part(path);

    if (part != NULL)
        unlink(part);
    free(part);
}

/* stdio does not keep the errno of an earlier failed write. So this function writes one more octet, which
 * usually fails with the same errno; if it does not fail, the error is EIO. */
int iw_whole_file_flush(FILE *out) {
    if (fflush(out) != 0)
        return errno;
    if (!ferror(out))
        return 0;
    return fputc('\n', out) == EOF || fflush(out) != 0 ? errno : EIO;
}

/* Replaces or removes. Returns 0, or an errno. */
static int whole_file_finish(const struct iw_whole_file *file, bool complete) {
    int error = complete && rename(file->part, file->path) != 0 ? errno : 0;

    if (error != 0 || !complete)
        unlink(file->part);
    return error;
}

static int whole_file_work(void *user, bool complete) {
    return whole_file_finish(user, complete);
}

int iw_whole_file_detach(struct iw_whole_file *file) {
    return file->part == NULL ? 0 : iw_helper_start(&file->helper, whole_file_work, file);
}

int iw_whole_file_close(struct iw_whole_file *file, bool complete) {
    int error = iw_whole_file_flush(file->out), finished;

    if (fclose(file->out) != 0 && error == 0)
        error = errno;
    if (file->part == NULL)
        return error;
    complete = complete && error == 0;
    finished = file->helper.process > 0 ? iw_helper_order(&file->helper, complete)
                                        : whole_file_finish(file, complete);
    free(file->part);
    return error != 0 ? error : finished;
}
