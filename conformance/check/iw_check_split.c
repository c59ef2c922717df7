#include "iw_check_split.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "iw_capture_file.h"
#include "iw_check_origin.h"
#include "iw_link_type.h"
#include "iw_pcapng.h"
#include "iw_text.h"
#include "iw_whole_file.h"

enum { LINKS = 32, COMMENT_OCTETS = IW_PCAPNG_COMMENT_MAX + 1, PACKET_OCTETS = 1 << 19 };

struct shard_file {
    struct iw_whole_file file;
    char *path;
    bool open;
    enum iw_link links[LINKS]; /* of the interfaces of the current section */
    unsigned link_count;
};

struct splitting {
    struct shard_file *files;
    unsigned shards;
    FILE *diagnostics;
    struct iw_check_origin origin; /* of the next section */
    char *end_error;               /* why the latest file could not be read to its end */
    char comment[COMMENT_OCTETS];  /* of the current packet */
    uint8_t block[PACKET_OCTETS];
    struct iw_check_split_counts counts;
    bool shard_given;    /* a file is a shard already */
    bool capture_opened; /* at least one file is a capture */
};

static bool split_refuse(struct splitting *splitting, const char *path, const char *reason) {
    fprintf(splitting->diagnostics, "%s: %s\n", path, reason);
    return false;
}

/* ---- the files of the shards ---- */

/* Returns the path of a shard, to be freed; NULL if memory runs out. */
static char *split_path(const char *directory, unsigned shard) {
    return iw_text_format("%s/shard-%u.pcapng", directory, shard);
}

static bool split_open_one(struct splitting *splitting, struct shard_file *one) {
    struct stat status;
    int error = lstat(one->path, &status) == 0 ? EEXIST : 0;

    if (error == EEXIST)
        return split_refuse(splitting, one->path, "exists already; not overwritten");
    error = iw_whole_file_open(&one->file, one->path);
    one->open = error == 0;
    return one->open || split_refuse(splitting, one->path, strerror(error));
}

static bool split_open(struct splitting *splitting, const char *directory) {
    struct stat status;

    if (mkdir(directory, 0777) != 0 && (errno != EEXIST || stat(directory, &status) != 0))
        return split_refuse(splitting, directory, strerror(errno));
    for (unsigned i = 0; i < splitting->shards; i++) {
        splitting->files[i].path = split_path(directory, i + 1);
        if (splitting->files[i].path == NULL)
            return split_refuse(splitting, directory, "out of memory");
        if (!split_open_one(splitting, &splitting->files[i]))
            return false;
    }
    return true;
}

/* Gives the shards their names, if they are complete. */
static bool split_close(struct splitting *splitting, bool complete) {
    for (unsigned i = 0; i < splitting->shards; i++) {
        struct shard_file *one = &splitting->files[i];
        int error = one->open ? iw_whole_file_close(&one->file, complete) : 0;

        if (error != 0 && complete)
            complete = split_refuse(splitting, one->path, strerror(error));
        free(one->path);
    }
    return complete;
}

static void split_write(struct shard_file *one, const uint8_t *octets, size_t count) {
    fwrite(octets, 1, count, one->file.out); /* iw_whole_file_close tells an error */
}

/* ---- sections ---- */

static bool split_write_section(struct splitting *splitting, struct shard_file *one) {
    char *comment = iw_check_origin_write(&splitting->origin);
    uint8_t *octets = comment != NULL ? malloc(iw_pcapng_section(IW_PCAPNG_BIG, comment, NULL)) : NULL;

    if (octets != NULL)
        split_write(one, octets, iw_pcapng_section(IW_PCAPNG_BIG, comment, octets));
    one->link_count = 0;
    free(comment);
    free(octets);
    return octets != NULL;
}

/* Begins the section of the next file, or of the end, in each shard. */
static bool split_begin_section(struct splitting *splitting, const char *path) {
    struct iw_check_origin *origin = &splitting->origin;
    bool good = true;

    origin->path = path;
    origin->before = splitting->counts.frames;
    for (unsigned i = 0; i < splitting->shards && good; i++) {
        origin->shard = (struct iw_check_shard){i + 1, splitting->shards};
        good = split_write_section(splitting, &splitting->files[i]);
    }
    origin->file++;
    origin->error = NULL;
    origin->status = IW_OK;
    origin->unread = (struct iw_capture_unread){.count = 0};
    free(splitting->end_error);
    splitting->end_error = NULL;
    return good || split_refuse(
                       splitting, path != NULL ? path : "the end", "out of memory, or the path is not UTF-8");
}

/* ---- packets ---- */

static const char *split_comment(struct splitting *splitting, const struct iw_capture_note *note) {
    size_t octets = note->comment_octets < COMMENT_OCTETS ? note->comment_octets : COMMENT_OCTETS - 1;

    if (note->comment == NULL)
        return NULL;
    memcpy(splitting->comment, note->comment, octets);
    splitting->comment[octets] = '\0';
    return splitting->comment;
}

/* Returns the interface for the link type, and describes it before its first packet in a section. */
static uint32_t split_interface(struct shard_file *one, enum iw_link link) {
    uint8_t octets[IW_PCAPNG_HEAD_MAX];
    uint32_t i = 0;

    while (i < one->link_count && one->links[i] != link)
        i++;
    if (i < one->link_count)
        return i;
    split_write(one, octets, iw_pcapng_interface(IW_PCAPNG_BIG, iw_link_type_of(link), 0, octets));
    one->links[one->link_count++] = link;
    return i;
}

static void split_write_packet(
    struct splitting *splitting, struct shard_file *one, enum iw_link link, struct iw_pcapng_packet *packet) {
    packet->interface = split_interface(one, link);
    iw_pcapng_packet(packet, splitting->block);
    split_write(one, splitting->block, iw_pcapng_packet_octets(packet));
}

static void split_take_packet(
    struct splitting *splitting, const struct iw_capture_file *file, const struct iw_packet *packet) {
    struct iw_tcp_segment segment;
    struct iw_packet_facts facts;
    struct iw_capture_note note;
    /* Not reassembled: the shard of a fragment must not depend on other fragments, as those may be lost. */
    enum iw_packet_kind kind = iw_packet_find(packet, &segment, &facts);
    unsigned shard = iw_check_shard_of(kind, &segment, &facts, splitting->shards);
    struct iw_pcapng_packet out = {.octets = packet->octets,
        .captured = packet->captured,
        .length = packet->length,
        .time_ns = packet->time_ns,
        .id = splitting->counts.frames + packet->frame};

    iw_capture_file_note(file, &note);
    out.comment = split_comment(splitting, &note);
    splitting->counts.everyone += shard == IW_CHECK_EVERY_SHARD;
    for (unsigned i = 0; i < splitting->shards; i++)
        if (shard == IW_CHECK_EVERY_SHARD || shard == i + 1)
            split_write_packet(splitting, &splitting->files[i], packet->link, &out);
}

static void split_take_section(void *user, const char *comment, size_t octets) {
    struct splitting *splitting = user;
    struct iw_check_origin_text text;

    if (iw_check_origin_read(&text, comment, octets))
        splitting->shard_given = true;
    iw_check_origin_clear(&text);
}

/* Stores an error of the current file for the next section. */
static void split_note_error(struct splitting *splitting, int status, const char *error) {
    fprintf(splitting->diagnostics, "%s\n", error);
    splitting->end_error = strdup(error);
    splitting->origin.status = status;
    splitting->origin.error = splitting->end_error != NULL ? splitting->end_error : "out of memory";
}

/* Returns false if the shards cannot be completed. */
static bool split_read_file(struct splitting *splitting, const char *path) {
    struct iw_capture_file *file;
    struct iw_packet packet;
    char error[512];
    int step;

    if (!split_begin_section(splitting, path))
        return false;
    step = iw_capture_file_open(path, &file, error, sizeof error);
    if (step != IW_OK) {
        split_note_error(splitting, step, error);
        return true;
    }
    splitting->capture_opened = true;
    iw_capture_file_on_section(file, split_take_section, splitting);
    while ((step = iw_capture_file_next(file, &packet, error, sizeof error)) == IW_CAPTURE_PACKET &&
           !splitting->shard_given)
        split_take_packet(splitting, file, &packet);
    splitting->counts.frames += iw_capture_file_frames(file);
    splitting->origin.unread = *iw_capture_file_unread(file);
    if (step < 0)
        split_note_error(splitting, step, error);
    iw_capture_file_close(file);
    return !splitting->shard_given || split_refuse(splitting, path, "is a shard of a capture already");
}

static enum iw_exit split_all(
    struct splitting *splitting, const char *const *paths, size_t count, const char *directory) {
    bool complete = split_open(splitting, directory), unread = false;

    splitting->origin.files = count;
    for (size_t i = 0; i < count && complete; i++) {
        complete = split_read_file(splitting, paths[i]);
        unread |= splitting->origin.error != NULL;
    }
    complete = complete && splitting->capture_opened && split_begin_section(splitting, NULL);
    complete = split_close(splitting, complete);
    return complete && !unread ? IW_EXIT_CONFORMS : IW_EXIT_ENVIRONMENT;
}

enum iw_exit iw_check_split(const char *const *paths, size_t count, const char *directory, unsigned shards,
    FILE *diagnostics, struct iw_check_split_counts *counts) {
    struct splitting *splitting = calloc(1, sizeof *splitting);
    struct shard_file *files = calloc(shards, sizeof *files);
    enum iw_exit exit = IW_EXIT_INTERNAL;

    if (splitting != NULL && files != NULL) {
        splitting->files = files;
        splitting->shards = shards;
        splitting->diagnostics = diagnostics;
        exit = split_all(splitting, paths, count, directory);
        *counts = splitting->counts;
        free(splitting->end_error);
    } else {
        fputs("out of memory\n", diagnostics);
    }
    free(splitting);
    free(files);
    return exit;
}

void iw_check_split_discard(const char *directory, unsigned shards) {
    for (unsigned i = 0; i < shards; i++) {
        char *path = split_path(directory, i + 1);

        if (path != NULL)
            iw_whole_file_discard(path);
        free(path);
    }
}
