#include "iw_matrix_key.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "iw_build_id.h"
#include "iw_json_member.h"
#include "iw_text.h"

/* Adds the file that "files" of the peer names. Returns false with a line in `error`. */
static bool matrix_key_add_file(
    struct iw_digest *digest, const struct iw_matrix_peer *peer, const char *name, char *error) {
    char *path = name[0] == '/' ? iw_text_format("%s", name) : iw_text_format("%s/%s", peer->folder, name);
    bool readable = path != NULL && access(path, R_OK) == 0;

    if (readable)
        iw_digest_file(digest, path);
    else
        snprintf(error, IW_MATRIX_ERROR_OCTETS, "peer %s: files: %.200s: %s", peer->name, name,
            strerror(path != NULL ? errno : ENOMEM));
    free(path);
    return readable;
}

static bool matrix_key_of_peer(
    const struct iw_matrix_peer *peer, const char *version, char text[IW_DIGEST_OCTETS], char *error) {
    char *definition = json_dumps(peer->definition, JSON_SORT_KEYS | JSON_COMPACT);
    struct iw_digest digest;
    const json_t *one;
    bool whole = definition != NULL;
    size_t i;

    text[0] = '\0';
    iw_digest_begin(&digest);
    if (definition != NULL)
        iw_digest_text(&digest, "definition", definition, strlen(definition));
    free(definition);
    iw_digest_text(&digest, "version", version, strlen(version));
    json_array_foreach(json_object_get(peer->definition, "files"), i, one) {
        whole = whole && matrix_key_add_file(&digest, peer, json_string_value(one), error);
    }
    if (!iw_digest_end(&digest, text) && whole) {
        snprintf(error, IW_MATRIX_ERROR_OCTETS, "peer %s: files cannot be read", peer->name);
        whole = false;
    }
    return whole;
}

bool iw_matrix_key_init(struct iw_matrix_key *key, const struct iw_matrix_file *file, const json_t *versions,
    unsigned seconds, char *error) {
    bool whole = true;

    *key = (struct iw_matrix_key){.seconds = seconds, .peers = calloc(file->count, sizeof *key->peers)};
    if (key->peers == NULL)
        return false;
    key->count = file->count;
    for (size_t i = 0; whole && i < file->count; i++)
        whole = matrix_key_of_peer(&file->peers[i],
            iw_json_member_text(json_array_get(versions, i), "version"), key->peers[i], error);
    return whole;
}

void iw_matrix_key_clear(struct iw_matrix_key *key) {
    free(key->peers);
}

void iw_matrix_key_of_cell(const struct iw_matrix_key *key, size_t initiator, size_t responder,
    const struct iw_matrix_scenario *scenario, char text[IW_DIGEST_OCTETS]) {
    char build[IW_BUILD_ID_OCTETS], values[256];
    struct iw_digest digest;

    text[0] = '\0';
    if (initiator >= key->count || responder >= key->count || key->peers[initiator][0] == '\0' ||
        key->peers[responder][0] == '\0')
        return;
    iw_build_id(build);
    snprintf(values, sizeof values, "%s %s %u %u %u %u %s", scenario->name, scenario->title, scenario->size,
        scenario->count, scenario->connections, scenario->seconds > 0 ? key->seconds : 0,
        scenario->network != NULL ? scenario->network : "");
    iw_digest_begin(&digest);
    iw_digest_text(&digest, "program", build, strlen(build));
    iw_digest_text(&digest, "initiator", key->peers[initiator], strlen(key->peers[initiator]));
    iw_digest_text(&digest, "responder", key->peers[responder], strlen(key->peers[responder]));
    iw_digest_text(&digest, "scenario", values, strlen(values));
    iw_digest_end(&digest, text);
}
