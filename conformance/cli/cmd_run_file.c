#include "cmd_run_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "cmd_folder.h"
#include "iw_whole_file.h"

enum {
    RUN_FILE_FOLDER_MAX = 384, /* the path of a capture adds case id, repeat and ".pcapng": 512 in all */
};

const char cmd_run_file_default[] = "results";

static bool run_file_make_folder(const char *path) {
    char part[1024];
    struct stat there;

    for (size_t i = 1; i <= strlen(path) && i < sizeof part; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        snprintf(part, sizeof part, "%.*s", (int)i, path);
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return false;
    }
    if (stat(path, &there) != 0)
        return false;
    errno = ENOTDIR;
    return S_ISDIR(there.st_mode);
}

/* Returns false with errno. */
static bool run_file_lock_folder(struct cmd_run_file *file) {
    int descriptor = cmd_folder_lock(file->folder);

    file->lock = descriptor > 0 ? descriptor : 0;
    return descriptor >= 0;
}

int cmd_run_file_check(const struct cmd_run_file *file) {
    char path[RUN_FILE_FOLDER_MAX + sizeof "/" IW_RESULTS_FILE];
    struct stat there;

    if (!file->folder || file->folder == cmd_run_file_default)
        return 0;
    snprintf(path, sizeof path, "%.*s/" IW_RESULTS_FILE, RUN_FILE_FOLDER_MAX, file->folder);
    if (stat(path, &there) != 0 || !S_ISREG(there.st_mode))
        return 0;
    return cmd_fail(IW_EXIT_ENVIRONMENT,
        "%s has results: choose another folder, overwrite them with --force, or continue with --resume %s",
        file->folder, file->folder);
}

/* Points the link "latest" to the folder. Only a convenience, so it may fail. */
static void run_file_link_latest(const struct cmd_run_file *file) {
    const char *name = strrchr(file->own, '/') + 1;
    char link[sizeof file->own], part[sizeof file->own];

    snprintf(link, sizeof link, "%s/latest", cmd_run_file_default);
    snprintf(part, sizeof part, "%s/.latest-%ld", cmd_run_file_default, (long)getpid());
    if (symlink(name, part) == 0 && rename(part, link) != 0)
        unlink(part);
}

/* Makes a folder named after the time. Several runs may begin in the same second. */
static bool run_file_make_own(struct cmd_run_file *file) {
    char stamp[24], suffix[12] = "";
    time_t now = time(NULL);
    struct tm utc;

    gmtime_r(&now, &utc);
    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H-%M-%S", &utc);
    if (!run_file_make_folder(cmd_run_file_default))
        return false;
    for (unsigned i = 2;; i++) {
        snprintf(file->own, sizeof file->own, "%s/%s%s", cmd_run_file_default, stamp, suffix);
        if (mkdir(file->own, 0777) == 0)
            break;
        if (errno != EEXIST)
            return false;
        snprintf(suffix, sizeof suffix, "-%u", i);
    }
    file->folder = file->own;
    run_file_link_latest(file);
    return true;
}

int cmd_run_file_prepare(struct cmd_run_file *file) {
    if (file->folder == cmd_run_file_default && !run_file_make_own(file))
        return cmd_fail(IW_EXIT_ENVIRONMENT, "%s: %s", file->folder, strerror(errno));
    if (file->folder && strlen(file->folder) > RUN_FILE_FOLDER_MAX)
        return cmd_fail(
            IW_EXIT_ENVIRONMENT, "%s: path longer than %d octets", file->folder, RUN_FILE_FOLDER_MAX);
    if (!file->folder ||
        (run_file_make_folder(file->folder) && access(file->folder, W_OK) == 0 && run_file_lock_folder(file)))
        return 0;
    return cmd_folder_fail(file->folder, errno);
}

static void run_file_set_error(struct cmd_run_file *file, int error) {
    snprintf(file->error, sizeof file->error, "%s: %s", file->path, strerror(error));
}

/* Opens the new file under a temporary name, and writes its first line or, for a resumed run, the lines kept
 * from the old file. Only then replaces the old file. */
static bool run_file_start(
    struct cmd_run_file *file, const struct iw_results_head *head, const struct iw_prior_run *prior) {
    char part[sizeof file->path + sizeof ".part"];
    int error;

    snprintf(part, sizeof part, "%s.part", file->path);
    file->out = fopen(part, "w");
    if (!file->out)
        return false;
    if (prior->run)
        fwrite(prior->kept, 1, prior->kept_octets, file->out);
    else
        iw_results_json_run(file->out, head);
    error = iw_whole_file_flush(file->out);
    if (error == 0 && rename(part, file->path) == 0) {
        file->whole = ftello(file->out);
        return true;
    }
    error = error == 0 ? errno : error;
    fclose(file->out);
    file->out = NULL;
    unlink(part);
    errno = error;
    return false;
}

void cmd_run_file_begin(
    struct cmd_run_file *file, const struct iw_results_head *head, const struct iw_prior_run *prior) {
    if (!file->folder)
        return;
    snprintf(file->path, sizeof file->path, "%s/" IW_RESULTS_FILE, file->folder);
    if (!run_file_start(file, head, prior))
        run_file_set_error(file, errno);
}

void cmd_run_file_flush(struct cmd_run_file *file) {
    int error = file->out ? iw_whole_file_flush(file->out) : 0;

    if (!file->out)
        return;
    if (error == 0) {
        file->whole = ftello(file->out);
        return;
    }
    run_file_set_error(file, error);
    fclose(file->out);
    file->out = NULL;
    (void)!truncate(file->path, file->whole);
}

bool cmd_run_file_close(struct cmd_run_file *file) {
    bool known = file->error[0] != '\0';

    cmd_run_file_flush(file);
    if (file->out && fclose(file->out) != 0)
        run_file_set_error(file, errno);
    if (file->error[0] && !known)
        cmd_fail(IW_EXIT_ENVIRONMENT, "%s", file->error);
    if (file->lock > 0)
        close(file->lock);
    return file->error[0] == '\0';
}
