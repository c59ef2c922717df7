#include "iw_matrix_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_json_member.h"
#include "iw_matrix_member.h"
#include "iw_text.h"

/* ---- peers ---- */

static bool matrix_file_name_is_right(const char *name) {
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    size_t length = strlen(name);

    return length > 0 && length <= 48 && name[0] != '.' && strspn(name, allowed) == length;
}

/* The members of the kind, with those of the peer instead or in addition. */
static bool matrix_file_merge(
    struct iw_matrix_member *at, const json_t *kinds, json_t *own, struct iw_matrix_peer *peer) {
    const char *kind = iw_json_member_text(own, "kind");
    const json_t *general = json_object_get(kinds, kind);

    if (kind[0] != '\0' && general == NULL)
        return iw_matrix_member_error(at, "no kind has the name %s", kind);
    peer->definition = general != NULL ? json_deep_copy(general) : json_object();
    json_object_update_recursive(peer->definition, own);
    return true;
}

static bool matrix_file_compile_ready(struct iw_matrix_member *at, struct iw_matrix_peer *peer) {
    const json_t *role = json_object_get(peer->definition, "responder");
    const char *ready = iw_json_member_text(role, "ready");
    char words[128];
    int wrong;

    if (json_object_size(json_object_get(role, "commands")) == 0)
        return true;
    if (ready[0] == '\0')
        return iw_matrix_member_error(
            at, "its responder has no \"ready\": what it prints when it listens, as a regular expression");
    wrong = regcomp(&peer->ready, ready, REG_EXTENDED);
    if (wrong != 0) {
        regerror(wrong, &peer->ready, words, sizeof words);
        return iw_matrix_member_error(at, "\"ready\" of its responder: %s", words);
    }
    peer->ready_compiled = true;
    if (peer->port == 0 && peer->ready.re_nsub == 0)
        return iw_matrix_member_error(
            at, "it has no \"port\", and \"ready\" of its responder has no group (...) that finds the port");
    return true;
}

static const char *matrix_file_text(const struct iw_matrix_peer *peer, const char *key) {
    return json_string_value(json_object_get(peer->definition, key));
}

static const char *matrix_file_text_or(
    const struct iw_matrix_peer *peer, const char *key, const char *otherwise) {
    const char *text = matrix_file_text(peer, key);

    return text != NULL ? text : otherwise;
}

static bool matrix_file_is_loopback(const char *host) {
    return strncmp(host, "127.", 4) == 0 || strcmp(host, "::1") == 0 || strcmp(host, "localhost") == 0;
}

static bool matrix_file_take_peer(struct iw_matrix_file *file, struct iw_matrix_member *at,
    const json_t *kinds, json_t *own, size_t number) {
    struct iw_matrix_peer *peer = &file->peers[file->count];
    char place[96];

    snprintf(place, sizeof place, "peer %zu", number);
    at->place = place;
    if (!json_is_object(own))
        return iw_matrix_member_error(at, "a peer is an object");
    if (!matrix_file_name_is_right(iw_json_member_text(own, "name")))
        return iw_matrix_member_error(
            at, "a peer has a \"name\" of up to 48 letters, digits and . _ -, not beginning with a dot");
    snprintf(place, sizeof place, "peer %s", iw_json_member_text(own, "name"));
    if (!iw_matrix_member_check(at, own, true))
        return false;
    for (size_t i = 0; i < file->count; i++)
        if (strcmp(file->peers[i].name, iw_json_member_text(own, "name")) == 0)
            return iw_matrix_member_error(at, "another peer has the same name");
    if (!matrix_file_merge(at, kinds, own, peer))
        return false;
    file->count++;
    peer->folder = strdup(at->folder);
    if (peer->folder == NULL)
        return iw_matrix_member_error(at, "out of memory");
    peer->name = matrix_file_text(peer, "name");
    peer->address = matrix_file_text_or(peer, "address", "127.0.0.1");
    peer->own_host = matrix_file_text_or(peer, "own_host", "127.0.0.1");
    peer->profile = matrix_file_text(peer, "profile");
    peer->agent = matrix_file_text(peer, "agent");
    peer->namespace = matrix_file_text(peer, "namespace");
    peer->ssh = matrix_file_text(peer, "ssh");
    peer->version = matrix_file_text(peer, "version");
    peer->port = (uint16_t)json_integer_value(json_object_get(peer->definition, "port"));
    peer->exclusive = json_is_true(json_object_get(peer->definition, "exclusive")) || peer->port != 0;
    peer->local = peer->namespace == NULL && peer->ssh == NULL && matrix_file_is_loopback(peer->address) &&
                  matrix_file_is_loopback(peer->own_host);
    if (peer->namespace != NULL && peer->ssh != NULL)
        return iw_matrix_member_error(at, "\"namespace\" and \"ssh\" exclude each other");
    return matrix_file_compile_ready(at, peer) && iw_matrix_member_check_commands(at, peer);
}

static bool matrix_file_has_pair(const struct iw_matrix_file *file) {
    bool has[IW_MATRIX_ROLES] = {false};

    for (size_t i = 0; i < file->count; i++)
        for (enum iw_matrix_role role = IW_MATRIX_INITIATOR; role < IW_MATRIX_ROLES; role++)
            has[role] |=
                json_object_size(json_object_get(
                    json_object_get(file->peers[i].definition, iw_matrix_role_name(role)), "commands")) > 0;
    return has[IW_MATRIX_INITIATOR] && has[IW_MATRIX_RESPONDER];
}

/* ---- a file ---- */

static bool matrix_file_take_kinds(struct iw_matrix_member *at, json_t *kinds) {
    const char *name;
    json_t *kind;

    at->place = "\"kinds\"";
    if (kinds != NULL && !json_is_object(kinds))
        return iw_matrix_member_error(at, "an object is needed");
    json_object_foreach(kinds, name, kind) {
        char place[96];

        snprintf(place, sizeof place, "kind %.80s", name);
        at->place = place;
        if (!json_is_object(kind))
            return iw_matrix_member_error(at, "a kind is an object");
        if (!iw_matrix_member_check(at, kind, false))
            return false;
    }
    return true;
}

static bool matrix_file_take(struct iw_matrix_file *file, struct iw_matrix_member *at, const json_t *root) {
    const json_t *peers = json_object_get(root, "peers");
    const char *name;
    json_t *one;
    size_t i;

    at->place = "";
    if (!json_is_object(root))
        return iw_matrix_member_error(at, "the file has an object with \"peers\"");
    json_object_foreach((json_t *)root, name, one) {
        if (strcmp(name, "peers") != 0 && strcmp(name, "kinds") != 0)
            return iw_matrix_member_error(at, "unknown member \"%.60s\"; known: kinds, peers", name);
    }
    if (!matrix_file_take_kinds(at, json_object_get(root, "kinds")))
        return false;
    at->place = "\"peers\"";
    if (!json_is_array(peers) || json_array_size(peers) == 0 || json_array_size(peers) > IW_MATRIX_PEERS_MAX)
        return iw_matrix_member_error(at, "an array of 1 to %d peers is needed", IW_MATRIX_PEERS_MAX);
    if (json_array_size(peers) > IW_MATRIX_PEERS_MAX - file->count)
        return iw_matrix_member_error(at, "all files together have more than %d peers", IW_MATRIX_PEERS_MAX);
    json_array_foreach(peers, i, one) {
        if (!matrix_file_take_peer(file, at, json_object_get(root, "kinds"), one, i + 1))
            return false;
    }
    return true;
}

/* Returns the folder of the file, without symbolic links, which the caller frees. */
static char *matrix_file_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    char *folder = slash == NULL ? iw_text_format(".") : iw_text_format("%.*s", (int)(slash - path), path);
    char *real = folder != NULL ? realpath(folder[0] != '\0' ? folder : "/", NULL) : NULL;

    free(folder);
    return real;
}

static bool matrix_file_read_one(struct iw_matrix_file *file, const char *path, char *error) {
    char *folder = matrix_file_folder(path);
    struct iw_matrix_member at = {.path = path, .folder = folder, .error = error};
    json_error_t wrong;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &wrong);
    bool good = false;

    if (root == NULL && wrong.line > 0)
        snprintf(error, IW_MATRIX_ERROR_OCTETS, "%s:%d: %s", path, wrong.line, wrong.text);
    else if (root == NULL)
        snprintf(error, IW_MATRIX_ERROR_OCTETS, "%s", wrong.text);
    else if (folder == NULL)
        snprintf(error, IW_MATRIX_ERROR_OCTETS, "%s: its folder cannot be read", path);
    else
        good = matrix_file_take(file, &at, root);
    json_decref(root);
    free(folder);
    return good;
}

/* ---- all files ---- */

bool iw_matrix_file_read(
    struct iw_matrix_file *file, const char *const *paths, size_t path_count, char *error) {
    struct iw_matrix_member at = {.path = paths[0], .place = "\"peers\"", .error = error};

    *file = (struct iw_matrix_file){.peers = calloc(IW_MATRIX_PEERS_MAX, sizeof *file->peers)};
    if (file->peers == NULL)
        return iw_matrix_member_error(&at, "out of memory");
    for (size_t i = 0; i < path_count; i++)
        if (!matrix_file_read_one(file, paths[i], error))
            return false;
    return matrix_file_has_pair(file) ||
           iw_matrix_member_error(
               &at, "a matrix needs a peer with commands of an initiator, and one with those of a responder");
}

void iw_matrix_file_clear(struct iw_matrix_file *file) {
    for (size_t i = 0; i < file->count; i++) {
        if (file->peers[i].ready_compiled)
            regfree(&file->peers[i].ready);
        json_decref(file->peers[i].definition);
        free(file->peers[i].folder);
    }
    free(file->peers);
}
