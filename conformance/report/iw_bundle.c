#include "iw_bundle.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "iw_array.h"
#include "iw_exit.h"
#include "iw_text.h"

static bool in_archive;

static void bundle_end_archive(int status, void *user) {
    (void)user;
    if (!in_archive || status == IW_EXIT_INTERNAL)
        return;
    fputs("warpcheck: out of memory\n", stderr);
    fflush(NULL);
    _exit(IW_EXIT_INTERNAL);
}

void iw_bundle_archive_begin(void) {
    static bool watched;

    if (!watched)
        watched = on_exit(bundle_end_archive, NULL) == 0;
    in_archive = true;
}

void iw_bundle_archive_end(void) {
    in_archive = false;
}

static bool memory_failed;

void iw_bundle_note_no_memory(void) {
    memory_failed = true;
}

bool iw_bundle_memory_failed(void) {
    return memory_failed;
}

bool iw_bundle_is_name(const char *name) {
    static const char within[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    size_t octets = strlen(name);

    return octets > 0 && octets <= IW_BUNDLE_NAME_MAX && name[0] != '.' && strspn(name, within) == octets;
}

struct iw_bundle_member *iw_bundle_add(struct iw_bundle *bundle, const char *name) {
    struct iw_bundle_member *members;

    if (bundle->places == NULL)
        bundle->places = json_object();
    if (json_object_set_new(bundle->places, name, json_integer((json_int_t)bundle->count)) != 0 ||
        !iw_array_grow(&bundle->members, bundle->count, sizeof *members))
        return NULL;
    members = &bundle->members[bundle->count++];
    *members = (struct iw_bundle_member){.octets = 0};
    snprintf(members->name, sizeof members->name, "%s", name);
    return members;
}

const struct iw_bundle_member *iw_bundle_find(const struct iw_bundle *bundle, const char *name) {
    const json_t *place = json_object_get(bundle->places, name);

    return place != NULL ? &bundle->members[json_integer_value(place)] : NULL;
}

char *iw_bundle_path(const struct iw_bundle *bundle, const char *name) {
    return iw_text_format("%s/%s", bundle->folder, name);
}

void iw_bundle_digest(const uint8_t value[IW_HASH_OCTETS_MAX], char digest[IW_BUNDLE_DIGEST_OCTETS]) {
    for (size_t i = 0; i < IW_BUNDLE_DIGEST_OCTETS / 2; i++)
        sprintf(digest + 2 * i, "%02x", value[i]);
}

/* Removes the folder, which holds only files. */
static int bundle_remove_folder(const char *folder) {
    DIR *list = opendir(folder);
    const struct dirent *entry;

    while (list != NULL && (entry = readdir(list)) != NULL)
        unlinkat(dirfd(list), entry->d_name, 0); /* fails for "." and ".." */
    if (list != NULL)
        closedir(list);
    return rmdir(folder) == 0 ? 0 : errno;
}

static int bundle_work(void *user, bool complete) {
    (void)complete;
    return bundle_remove_folder(user);
}

int iw_bundle_detach(struct iw_bundle *bundle) {
    return iw_helper_start(&bundle->helper, bundle_work, bundle->folder);
}

void iw_bundle_close(struct iw_bundle *bundle) {
    if (bundle->helper.process > 0)
        iw_helper_order(&bundle->helper, true);
    else if (bundle->folder != NULL)
        bundle_remove_folder(bundle->folder);
    free(bundle->folder);
    free(bundle->members);
    json_decref(bundle->places);
    *bundle = (struct iw_bundle){0};
}
