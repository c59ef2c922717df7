#include "iw_bundle.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char iw_bundle_manifest[] = "MANIFEST";
const char iw_bundle_head[] = "warpcheck-bundle 1";
const char iw_bundle_results[] = "results.jsonl";
const char iw_bundle_suite[] = "suite.json";
const char iw_bundle_profile[] = "profile.json";

bool iw_bundle_is_name(const char *name) {
    static const char within[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    size_t octets = strlen(name);

    return octets > 0 && octets <= IW_BUNDLE_NAME_MAX && name[0] != '.' && strspn(name, within) == octets;
}

struct iw_bundle_member *iw_bundle_add(struct iw_bundle *bundle, const char *name) {
    size_t capacity = bundle->capacity > 0 ? 2 * bundle->capacity : 64;
    struct iw_bundle_member *members;

    if (bundle->count == bundle->capacity) {
        members = realloc(bundle->members, capacity * sizeof *members);
        if (members == NULL)
            return NULL;
        bundle->members = members;
        bundle->capacity = capacity;
    }
    members = &bundle->members[bundle->count++];
    *members = (struct iw_bundle_member){.octets = 0};
    snprintf(members->name, sizeof members->name, "%s", name);
    return members;
}

const struct iw_bundle_member *iw_bundle_find(const struct iw_bundle *bundle, const char *name) {
    for (size_t i = 0; i < bundle->count; i++)
        if (strcmp(bundle->members[i].name, name) == 0)
            return &bundle->members[i];
    return NULL;
}

char *iw_bundle_path(const struct iw_bundle *bundle, const char *name) {
    char *path = malloc(strlen(bundle->folder) + strlen(name) + 2);

    if (path != NULL)
        sprintf(path, "%s/%s", bundle->folder, name);
    return path;
}

void iw_bundle_digest(const uint8_t value[IW_HASH_OCTETS_MAX], char digest[IW_BUNDLE_DIGEST_OCTETS]) {
    for (size_t i = 0; i < IW_BUNDLE_DIGEST_OCTETS / 2; i++)
        sprintf(digest + 2 * i, "%02x", value[i]);
}

/* Its members are all that was put into the folder. */
void iw_bundle_close(struct iw_bundle *bundle) {
    for (size_t i = 0; bundle->folder != NULL && i < bundle->count; i++) {
        char *path = iw_bundle_path(bundle, bundle->members[i].name);

        if (path != NULL)
            unlink(path);
        free(path);
    }
    if (bundle->folder != NULL)
        rmdir(bundle->folder);
    free(bundle->folder);
    free(bundle->members);
    *bundle = (struct iw_bundle){0};
}
