#include "iw_check_origin.h"

#include <stdlib.h>
#include <string.h>

#include "iw_capture_file.h"
#include "iw_check_group.h"
#include "iw_json.h"
#include "iw_shard.h"
#include "iw_text.h"

static const char origin_mark[] = "warpcheck split ";

enum { ORIGIN_FORMAT = 1, FILES_MAX = 1 << 24 };

static json_t *origin_number(uint64_t number) {
    return json_integer((json_int_t)number);
}

static void origin_add_end(json_t *object, const struct iw_check_origin *origin) {
    const struct iw_capture_unread *unread = &origin->unread;
    json_t *links = unread->count > 0 ? json_array() : NULL;

    for (size_t i = 0; i < unread->count; i++) {
        json_t *row = json_array();

        json_array_append_new(row, json_integer(unread->types[i].link_type));
        json_array_append_new(row, origin_number(unread->types[i].packets));
        json_array_append_new(links, row);
    }
    json_object_set_new(object, "links", links);
    if (origin->error != NULL) {
        json_object_set_new(object, "status", json_integer(origin->status));
        iw_json_set_text(object, "error", origin->error);
    }
}

char *iw_check_origin_write(const struct iw_check_origin *origin) {
    json_t *object = json_object();
    char *text, *comment;

    json_object_set_new(object, "format", json_integer(ORIGIN_FORMAT));
    json_object_set_new(object, "shard", json_integer(origin->shard.number));
    json_object_set_new(object, "shards", json_integer(origin->shard.count));
    json_object_set_new(object, "files", origin_number(origin->files));
    json_object_set_new(object, "file", origin_number(origin->file));
    json_object_set_new(object, "before", origin_number(origin->before));
    if (origin->path != NULL && json_object_set_new(object, "path", json_string(origin->path)) != 0) {
        json_decref(object);
        return NULL;
    }
    origin_add_end(object, origin);
    text = json_dumps(object, JSON_COMPACT);
    json_decref(object);
    comment = text != NULL ? iw_text_format("%s%s", origin_mark, text) : NULL;
    free(text);
    return comment;
}

static bool origin_read_number(
    const json_t *object, const char *key, uint64_t low, uint64_t high, uint64_t *number) {
    const json_t *value = json_object_get(object, key);

    *number = (uint64_t)json_integer_value(value);
    return json_is_integer(value) && json_integer_value(value) >= 0 && *number >= low && *number <= high;
}

static bool origin_read_links(const json_t *links, struct iw_capture_unread *unread) {
    for (size_t i = 0; i < json_array_size(links); i++) {
        const json_t *row = json_array_get(links, i);
        json_int_t type = json_integer_value(json_array_get(row, 0));
        json_int_t packets = json_integer_value(json_array_get(row, 1));

        if (json_array_size(row) != 2 || type < 0 || type > UINT16_MAX || packets < 1)
            return false;
        iw_capture_unread_count(unread, (uint16_t)type, (uint64_t)packets);
    }
    return true;
}

static bool origin_read_object(struct iw_check_origin *origin, const json_t *object) {
    uint64_t format, number = 0, count = 0;
    bool good = origin_read_number(object, "format", ORIGIN_FORMAT, ORIGIN_FORMAT, &format) &&
                origin_read_number(object, "shards", 1, IW_SHARD_MAX, &count) &&
                origin_read_number(object, "shard", 1, count, &number) &&
                origin_read_number(object, "files", 1, FILES_MAX, &origin->files) &&
                origin_read_number(object, "file", 0, origin->files, &origin->file) &&
                origin_read_number(object, "before", 0, INT64_MAX, &origin->before) &&
                origin_read_links(json_object_get(object, "links"), &origin->unread);

    origin->shard = (struct iw_check_shard){(unsigned)number, (unsigned)count};
    origin->path = json_string_value(json_object_get(object, "path"));
    origin->error = json_string_value(json_object_get(object, "error"));
    origin->status = origin->error == NULL ? 0 : (int)json_integer_value(json_object_get(object, "status"));
    return good && (origin->path != NULL) == (origin->file < origin->files) && origin->status <= 0 &&
           (origin->status < 0) == (origin->error != NULL);
}

bool iw_check_origin_read(struct iw_check_origin_text *text, const char *comment, size_t octets) {
    size_t mark = sizeof origin_mark - 1;

    *text = (struct iw_check_origin_text){.json = NULL};
    if (octets < mark || memcmp(comment, origin_mark, mark) != 0)
        return false;
    text->json = json_loadb(comment + mark, octets - mark, JSON_REJECT_DUPLICATES, NULL);
    if (text->json != NULL && origin_read_object(&text->origin, text->json))
        return true;
    iw_check_origin_clear(text);
    return false;
}

void iw_check_origin_clear(struct iw_check_origin_text *text) {
    json_decref(text->json);
    text->json = NULL;
}

struct origin_search {
    struct iw_check_shard shard;
    uint64_t files;
    bool begun;
};

static void origin_take_section(void *user, const char *comment, size_t octets) {
    struct origin_search *search = user;
    struct iw_check_origin_text text;

    if (!search->begun && iw_check_origin_read(&text, comment, octets)) {
        search->shard = text.origin.shard;
        search->files = text.origin.files;
        iw_check_origin_clear(&text);
    }
    search->begun = true;
}

bool iw_check_origin_find(const char *path, struct iw_check_shard *shard, uint64_t *files) {
    struct origin_search search = {.begun = false};
    struct iw_capture_file *file;
    struct iw_packet packet;
    char error[256];

    if (iw_check_reads_once(path) || iw_capture_file_open(path, &file, error, sizeof error) != IW_OK)
        return false;
    iw_capture_file_on_section(file, origin_take_section, &search);
    (void)iw_capture_file_next(file, &packet, error, sizeof error);
    iw_capture_file_close(file);
    *shard = search.shard;
    *files = search.files;
    return search.shard.count > 0;
}
