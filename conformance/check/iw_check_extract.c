#include "iw_check_extract.h"

#include <stdlib.h>
#include <string.h>

#include "iw_array.h"
#include "iw_capture_file.h"
#include "iw_describe.h"
#include "iw_ip.h"
#include "iw_packet_reader.h"
#include "iw_sctp_path.h"
#include "iw_text.h"

/* A frame around which the extract needs packets. */
struct mark {
    uint64_t frame;   /* number in the whole capture */
    uint64_t ordinal; /* index among the packets of the connection */
    char *comment;    /* packet comment, or NULL */
};

struct iw_check_wanted {
    struct iw_tcp_address address[2];
    struct iw_tcp_address more[2][IW_SCTP_ADDRESSES_MAX]; /* further addresses of an SCTP association */
    unsigned more_count[2];
    bool sctp;
    uint64_t first_frame, last_frame;
    struct mark *marks; /* sorted by frame */
    size_t mark_count;
    uint64_t packets; /* number of packets of the connection */
    uint64_t ordinal; /* index of the next packet */
    size_t next;      /* index of the next mark */
    struct iw_check_extract_file *file;
};

enum { BUCKETS = 2048 };

/* A hash table of the selected connections by address. */
struct index {
    struct iw_check_wanted *wanted;
    uint16_t bucket[BUCKETS]; /* index of the first connection in each bucket, plus 1; 0: empty */
    uint16_t
        chain[IW_CHECK_EXTRACT_MAX]; /* by connection: index of the next connection in its bucket, plus 1 */
};

/* Maximum number of errors printed. One cause, such as a full disk, often affects all files. */
enum { DIAGNOSTICS_MAX = 10 };

static void extract_report(struct iw_check_extract *extract, const char *path, const char *why) {
    if (extract->diagnostics++ < DIAGNOSTICS_MAX)
        fprintf(stderr, "warpcheck: %s: %s\n", path, why);
    extract->failed = true;
}

/* Creates the extract file of a connection. On failure reports the error and returns NULL. */
static struct iw_check_extract_file *extract_make_file(
    struct iw_check_extract *extract, const char *capture, uint64_t number) {
    struct iw_check_extract_file *file = &extract->files[extract->made];
    const char *reason;

    if (iw_check_extract_file_new(
            file, extract->directory, extract->files, extract->made, capture, number, &reason)) {
        extract->made++;
        return file;
    }
    extract_report(extract, file->path != NULL ? file->path : extract->directory, reason);
    extract->closed = file->path == NULL || strcmp(file->path, extract->directory) == 0;
    iw_check_extract_file_dispose(file);
    return NULL;
}

/* ---- selection of connections ---- */

void iw_check_finding_comment(FILE *out, const struct iw_finding *finding, bool waived) {
    fputs(waived ? "waived " : "", out);
    iw_describe_finding(out, finding, NULL);
}

static char *extract_comment_of(const struct iw_check_finding *finding) {
    struct iw_text text;

    if (!iw_text_open(&text))
        return NULL;
    iw_check_finding_comment(text.out, &finding->finding, finding->waiver != NULL);
    return iw_text_close(&text);
}

static int extract_compare_marks(const void *left, const void *right) {
    const struct mark *one = left, *other = right;

    return one->frame < other->frame ? -1 : one->frame > other->frame;
}

/* Merges the marks of each frame into one mark, whose comment has a line for each merged comment. */
static void extract_merge_marks(struct iw_check_wanted *wanted) {
    size_t count = 0;

    qsort(wanted->marks, wanted->mark_count, sizeof *wanted->marks, extract_compare_marks);
    for (size_t i = 0; i < wanted->mark_count; i++) {
        struct mark *last = &wanted->marks[count == 0 ? 0 : count - 1], *mark = &wanted->marks[i];
        char *joint;

        if (count == 0 || last->frame != mark->frame) {
            wanted->marks[count++] = *mark;
            continue;
        }
        if (last->comment == NULL || mark->comment == NULL) {
            last->comment = last->comment != NULL ? last->comment : mark->comment;
            continue;
        }
        joint = iw_text_format("%s\n%s", last->comment, mark->comment);
        if (joint != NULL) {
            free(last->comment);
            last->comment = joint;
        }
        free(mark->comment);
    }
    wanted->mark_count = count;
}

static bool extract_mark_findings(struct iw_check_wanted *wanted, const struct iw_check_kept *kept) {
    wanted->marks = calloc(kept->finding_count * (1 + IW_FINDING_CONTEXT_MAX) + 1, sizeof *wanted->marks);
    if (wanted->marks == NULL)
        return false;
    for (size_t i = 0; i < kept->finding_count; i++) {
        const struct iw_finding *finding = &kept->findings[i].finding;

        wanted->marks[wanted->mark_count++] =
            (struct mark){.frame = finding->frame, .comment = extract_comment_of(&kept->findings[i])};
        for (unsigned k = 0; k < finding->context_count; k++)
            wanted->marks[wanted->mark_count++] = (struct mark){.frame = finding->context[k]};
    }
    extract_merge_marks(wanted);
    return true;
}

/* Returns the first frame of the stream or, over SCTP, of the setup of its association if captured. */
static uint64_t extract_first_frame_of(const struct iw_check_stream *stream) {
    uint64_t first = stream->first_frame;

    for (int side = 0; stream->association != NULL && side < 2; side++) {
        uint64_t frame = stream->association->setup[side].frame;

        if (frame != 0 && frame < first)
            first = frame;
    }
    return first;
}

void iw_check_extract_add(struct iw_check_extract *extract, const char *file,
    const struct iw_check_stream *stream, struct iw_check_connection *connection) {
    struct iw_check_wanted *list;

    if (extract->directory == NULL || iw_totals_exit(&connection->totals) != IW_EXIT_VIOLATIONS)
        return;
    if (extract->made >= IW_CHECK_EXTRACT_MAX || extract->closed) {
        extract->omitted++;
        return;
    }
    if (!iw_array_grow(&extract->wanted, extract->count, sizeof *list)) {
        extract_report(extract, file, "out of memory: a connection is not extracted");
        return;
    }
    list = &extract->wanted[extract->count];
    *list = (struct iw_check_wanted){.address = {stream->address[IW_SIDE_A], stream->address[IW_SIDE_B]},
        .sctp = connection->sctp,
        .first_frame = extract_first_frame_of(stream),
        .last_frame = connection->last_frame,
        .file = extract_make_file(extract, file, connection->number)};
    if (list->file == NULL)
        return;
    for (enum iw_side side = IW_SIDE_A; stream->paths != NULL && side <= IW_SIDE_B; side++)
        list->more_count[side] = iw_sctp_paths_addresses(stream->paths, side, list->more[side]);
    extract->count++;
    connection->extract = strdup(list->file->path);
    if (!extract_mark_findings(list, &connection->kept) || connection->extract == NULL)
        extract_report(extract, list->file->path, "out of memory: findings are not marked");
}

/* ---- reading the capture again ---- */

static uint32_t extract_address_hash(const struct iw_tcp_address *address) {
    uint32_t sum = address->port;

    for (size_t i = 0; i < sizeof address->octets; i++)
        sum = sum * 31 + address->octets[i];
    return sum;
}

/* Both directions give the same bucket. Over SCTP only ports count, as a side may have several addresses. */
static unsigned extract_index_bucket(
    const struct iw_tcp_address *one, const struct iw_tcp_address *other, bool sctp) {
    uint32_t first = sctp ? one->port : extract_address_hash(one),
             second = sctp ? other->port : extract_address_hash(other);

    return (first * second + first + second) % BUCKETS;
}

static struct index *extract_make_index(const struct iw_check_extract *extract) {
    struct index *index = calloc(1, sizeof *index);

    if (index == NULL)
        return NULL;
    index->wanted = extract->wanted;
    for (size_t i = 0; i < extract->count; i++) {
        const struct iw_check_wanted *wanted = &extract->wanted[i];
        unsigned bucket = extract_index_bucket(&wanted->address[0], &wanted->address[1], wanted->sctp);

        index->chain[i] = index->bucket[bucket];
        index->bucket[bucket] = (uint16_t)(i + 1);
    }
    return index;
}

static bool extract_wanted_has_address(
    const struct iw_check_wanted *wanted, int side, const struct iw_tcp_address *address) {
    bool found = iw_tcp_address_equal(&wanted->address[side], address);

    for (unsigned i = 0; !found && i < wanted->more_count[side]; i++)
        found = iw_tcp_address_equal(&wanted->more[side][i], address);
    return found;
}

static bool extract_wanted_has_segment(
    const struct iw_check_wanted *wanted, const struct iw_tcp_segment *segment, bool sctp) {
    int side = extract_wanted_has_address(wanted, 0, &segment->source) ? 0 : 1;

    return wanted->sctp == sctp && segment->frame >= wanted->first_frame &&
           segment->frame <= wanted->last_frame &&
           extract_wanted_has_address(wanted, side, &segment->source) &&
           extract_wanted_has_address(wanted, 1 - side, &segment->destination);
}

typedef void take_packet(
    struct iw_check_extract *extract, struct iw_check_wanted *wanted, const struct iw_packet *packet);

/* The connection of an IP fragment is known only after reassembly, or never. So this passes the fragment to
 * `take` for each selected connection between its addresses that was open at this frame, and a fragment of a
 * tunnel for all that were open. */
static void extract_pass_fragment(struct iw_check_extract *extract, const struct index *index,
    const struct iw_packet *packet, const struct iw_fragment *fragment, take_packet *take) {
    bool tunnel = fragment->protocol != IW_IP_TCP && fragment->protocol != IW_IP_SCTP;

    for (size_t i = 0; i < extract->count; i++) {
        struct iw_check_wanted *wanted = &index->wanted[i];
        struct iw_tcp_segment segment = {
            .source = fragment->source, .destination = fragment->destination, .frame = packet->frame};
        bool inside = packet->frame >= wanted->first_frame && packet->frame <= wanted->last_frame;

        for (int side = 0; side < 2 && !tunnel; side++) {
            segment.source.port = wanted->address[side].port;
            segment.destination.port = wanted->address[1 - side].port;
            if (extract_wanted_has_segment(wanted, &segment, wanted->sctp))
                break;
            inside &= side == 0;
        }
        if (inside)
            take(extract, wanted, packet);
    }
}

/* An SCTP packet may belong to several sessions. */
static void extract_pass_packet(struct iw_check_extract *extract, const struct index *index,
    struct iw_reassembly *reader, const struct iw_packet *packet, take_packet *take) {
    struct iw_tcp_segment segment;
    struct iw_packet_facts facts;
    enum iw_packet_kind kind = iw_packet_read(reader, packet, &segment, &facts);
    unsigned at;

    if (kind == IW_PACKET_FRAGMENT)
        extract_pass_fragment(extract, index, packet, &facts.fragment, take);
    if (kind != IW_PACKET_TCP && kind != IW_PACKET_SCTP)
        return;
    at = index->bucket[extract_index_bucket(&segment.source, &segment.destination, kind == IW_PACKET_SCTP)];
    for (; at != 0; at = index->chain[at - 1])
        if (extract_wanted_has_segment(&index->wanted[at - 1], &segment, kind == IW_PACKET_SCTP))
            take(extract, &index->wanted[at - 1], packet);
}

/* Passes all packets of the selected connections to `take`. Errors of the files were reported before. */
static void extract_read_chain(struct iw_check_extract *extract, const struct index *index,
    const struct iw_check_chain *chain, take_packet *take) {
    struct iw_reassembly *reader = iw_reassembly_new();
    uint64_t before = 0, frame = 0;
    struct iw_packet packet;
    char error[256];

    for (size_t i = 0; reader != NULL && i < chain->count; i++, before = frame) {
        struct iw_capture_file *file;

        if (iw_capture_file_open(chain->paths[i], &file, error, sizeof error) != IW_OK)
            continue;
        while (iw_capture_file_next(file, &packet, error, sizeof error) == IW_CAPTURE_PACKET) {
            packet.frame += before;
            extract_pass_packet(extract, index, reader, &packet, take);
        }
        frame = before + iw_capture_file_frames(file);
        iw_capture_file_close(file);
    }
    iw_reassembly_free(reader);
}

/* ---- writing of extracts ---- */

static void extract_count_packet(
    struct iw_check_extract *extract, struct iw_check_wanted *wanted, const struct iw_packet *packet) {
    (void)extract;
    for (; wanted->next < wanted->mark_count && wanted->marks[wanted->next].frame <= packet->frame;
         wanted->next++)
        wanted->marks[wanted->next].ordinal = wanted->packets;
    wanted->packets++;
}

static bool extract_is_selected(struct iw_check_wanted *wanted) {
    while (wanted->next < wanted->mark_count &&
           wanted->marks[wanted->next].ordinal + IW_CHECK_EXTRACT_AFTER < wanted->ordinal)
        wanted->next++;
    if (wanted->packets <= IW_CHECK_EXTRACT_WHOLE || wanted->ordinal < IW_CHECK_EXTRACT_HEAD)
        return true;
    return wanted->next < wanted->mark_count &&
           wanted->ordinal + IW_CHECK_EXTRACT_BEFORE >= wanted->marks[wanted->next].ordinal;
}

static const char *extract_comment_at(const struct iw_check_wanted *wanted) {
    for (size_t i = wanted->next; i < wanted->mark_count && wanted->marks[i].ordinal <= wanted->ordinal; i++)
        if (wanted->marks[i].ordinal == wanted->ordinal && wanted->marks[i].comment != NULL)
            return wanted->marks[i].comment;
    return NULL;
}

static void extract_write_packet(
    struct iw_check_extract *extract, struct iw_check_wanted *wanted, const struct iw_packet *packet) {
    struct iw_pcapng_packet out = {.octets = packet->octets,
        .captured = packet->captured,
        .length = packet->length,
        .time_ns = packet->time_ns};
    const char *reason;

    if (extract_is_selected(wanted)) {
        out.comment = extract_comment_at(wanted);
        if (!iw_check_extract_file_append(wanted->file, packet->link, &out, &reason)) {
            extract_report(extract, wanted->file->path, reason);
            wanted->last_frame = 0; /* take no more packets */
        }
    }
    wanted->ordinal++;
}

/* Finishes the file and frees the marks. Reports a failure unless the file had an earlier failure. */
static void extract_finish_wanted(struct iw_check_extract *extract, struct iw_check_wanted *wanted) {
    const char *reason;

    if (!iw_check_extract_file_finish(wanted->file, &reason) && wanted->last_frame != 0)
        extract_report(extract, wanted->file->path, reason);
    for (size_t i = 0; i < wanted->mark_count; i++)
        free(wanted->marks[i].comment);
    free(wanted->marks);
}

void iw_check_extract_write(struct iw_check_extract *extract, const struct iw_check_chain *chain) {
    struct index *index = extract->count > 0 ? extract_make_index(extract) : NULL;

    if (index != NULL) {
        extract_read_chain(extract, index, chain, extract_count_packet);
        for (size_t i = 0; i < extract->count; i++)
            extract->wanted[i].next = 0;
        extract_read_chain(extract, index, chain, extract_write_packet);
        free(index);
    }
    for (size_t i = 0; i < extract->count; i++)
        extract_finish_wanted(extract, &extract->wanted[i]);
    free(extract->wanted);
    extract->wanted = NULL;
    extract->count = 0;
}

void iw_check_extract_end(struct iw_check_extract *extract) {
    if (extract->diagnostics > DIAGNOSTICS_MAX)
        fprintf(stderr, "warpcheck: %s: similar errors with %llu more files\n", extract->directory,
            (unsigned long long)(extract->diagnostics - DIAGNOSTICS_MAX));
    if (extract->omitted > 0)
        fprintf(stderr, "warpcheck: %s: %llu more violating connections were not extracted\n",
            extract->directory, (unsigned long long)extract->omitted);
    for (uint64_t i = 0; i < extract->made; i++)
        iw_check_extract_file_dispose(&extract->files[i]);
    extract->made = 0;
}
