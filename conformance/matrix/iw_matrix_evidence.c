#include "iw_matrix_evidence.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iw_text.h"

static const char *const evidence_files[] = {
    "capture.pcapng", "judgement.jsonl", "initiator.log", "responder.log", "diagram.html"};

enum { EVIDENCE_FILES = sizeof evidence_files / sizeof *evidence_files };

char *iw_matrix_evidence_new(const char *out, const char *name) {
    char *folder = iw_text_format("%s/cells/%s.new", out, name);

    if (folder == NULL)
        return NULL;
    for (char *slash = folder + strlen(out); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(folder, 0777);
        *slash = '/';
    }
    if (mkdir(folder, 0777) == 0 || errno == EEXIST)
        return folder;
    free(folder);
    return NULL;
}

static void evidence_remove_file(const char *folder, const char *file) {
    char *path = iw_text_format("%s/%s", folder, file);

    if (path != NULL)
        unlink(path);
    free(path);
}

void iw_matrix_evidence_remove(const char *folder) {
    for (int i = 0; i < EVIDENCE_FILES; i++)
        evidence_remove_file(folder, evidence_files[i]);
    rmdir(folder);
}

/* A file that the trial has not written must not be that of the run before. */
static void evidence_replace_file(const char *folder, const char *by, const char *file) {
    char *from = iw_text_format("%s/%s", by, file), *to = iw_text_format("%s/%s", folder, file);

    if (from != NULL && to != NULL && rename(from, to) != 0)
        unlink(to);
    free(from);
    free(to);
}

void iw_matrix_evidence_replace(const char *out, const char *name, const char *folder) {
    char *old = iw_text_format("%s/cells/%s", out, name);

    if (old == NULL)
        return;
    mkdir(old, 0777);
    for (int i = 0; i < EVIDENCE_FILES; i++)
        evidence_replace_file(old, folder, evidence_files[i]);
    rmdir(folder);
    rmdir(old); /* it stays if it has files */
    free(old);
}
