#include "iw_check_merge_tally.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "iw_json_member.h"

#define STREAM_READ UINT64_MAX

__attribute__((format(printf, 2, 3))) static bool tally_wrong(char *wrong, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(wrong, IW_CHECK_MERGE_WRONG_OCTETS, format, arguments);
    va_end(arguments);
    return false;
}

void iw_check_merge_tally_clear(struct iw_check_merge_tally *tally) {
    for (int i = 0; i < IW_CHECK_TRANSPORTS; i++) {
        free(tally->found[i]);
        tally->found[i] = NULL;
    }
}

bool iw_check_merge_tally_begin(
    struct iw_check_merge_tally *tally, const size_t id_count[IW_CHECK_TRANSPORTS]) {
    bool good = true;

    iw_check_merge_tally_clear(tally);
    *tally = (struct iw_check_merge_tally){.judges_upper = tally->judges_upper, .sum = tally->sum};
    for (int i = 0; i < IW_CHECK_TRANSPORTS; i++) {
        tally->id_count[i] = id_count[i];
        tally->found[i] = calloc(id_count[i] + 1, sizeof *tally->found[i]);
        good &= tally->found[i] != NULL;
    }
    return good;
}

/* Reads a member that is a number from 0. A missing one is 0 if it is `optional`. */
static bool tally_number(
    const json_t *object, const char *key, bool optional, uint64_t *number, char *wrong) {
    const json_t *value = json_object_get(object, key);

    *number = (uint64_t)json_integer_value(value);
    return (optional && value == NULL) || (json_is_integer(value) && json_integer_value(value) >= 0) ||
           tally_wrong(wrong, "\"%s\" is not a number from 0", key);
}

bool iw_check_merge_tally_transport(
    const json_t *line, enum iw_check_transport *transport, char wrong[IW_CHECK_MERGE_WRONG_OCTETS]) {
    const char *name = iw_json_member_text(line, "transport");

    *transport = strcmp(name, "sctp") == 0 ? IW_CHECK_SCTP : IW_CHECK_TCP;
    return *transport == IW_CHECK_SCTP || strcmp(name, "tcp") == 0 ||
           tally_wrong(wrong, "\"transport\" is neither \"tcp\" nor \"sctp\"");
}

/* The lines of a shard have ascending orders. */
static bool tally_place(struct iw_check_merge_tally *tally, const json_t *line,
    enum iw_check_transport *transport, uint64_t *id, char *wrong) {
    uint64_t order;

    if (!iw_check_merge_tally_transport(line, transport, wrong) ||
        !tally_number(line, "stream", false, id, wrong) || !tally_number(line, "order", false, &order, wrong))
        return false;
    if (*id >= tally->id_count[*transport])
        return tally_wrong(wrong, "\"stream\" is %" PRIu64 ", but the capture has %zu ids of this transport",
            *id, tally->id_count[*transport]);
    if (order < tally->order)
        return tally_wrong(
            wrong, "\"order\" is %" PRIu64 ", less than %" PRIu64 " of an earlier line", order, tally->order);
    tally->order = order;
    return tally->found[*transport][*id] != STREAM_READ ||
           tally_wrong(wrong, "\"stream\" is %" PRIu64 ", which an earlier line \"stream\" has ended", *id);
}

/* The findings of a stream have the numbers 1, 2, 3 and so on. */
static bool tally_finding(
    struct iw_check_merge_tally *tally, const json_t *line, uint64_t *found, char *wrong) {
    uint64_t number;

    if (!tally_number(line, "number", false, &number, wrong))
        return false;
    if (number != *found + 1)
        return tally_wrong(wrong,
            "\"number\" is %" PRIu64 ", expected %" PRIu64 ": a finding of the stream is missing or repeated",
            number, *found + 1);
    (*found)++;
    tally->open++;
    return true;
}

/* The findings about the protocol above stand directly before the line of their stream. */
static bool tally_upper_finding(struct iw_check_merge_tally *tally, uint64_t stream, char *wrong) {
    if (tally->upper > 0 && tally->upper_stream != stream)
        return tally_wrong(wrong, "\"stream\" is %" PRIu64 ", but stream %" PRIu64 " has not ended", stream,
            tally->upper_stream);
    tally->upper_stream = stream;
    tally->upper++;
    return true;
}

/* Adds the numbers of findings in the object to `totals`. */
static bool tally_add_counts(struct iw_totals *totals, const json_t *object, char *wrong) {
    const json_t *findings = json_object_get(object, "findings");
    uint64_t number;

    for (int i = 0; i <= IW_SEVERITY_ERROR; i++) {
        if (!tally_number(findings, iw_severity_name((enum iw_severity)i), false, &number, wrong))
            return false;
        totals->findings[i] += number;
    }
    if (!tally_number(object, "waived", true, &number, wrong))
        return false;
    totals->waived += number;
    return true;
}

static uint64_t tally_all(const struct iw_totals *totals) {
    uint64_t all = totals->waived;

    for (int i = 0; i <= IW_SEVERITY_ERROR; i++)
        all += totals->findings[i];
    return all;
}

static bool tally_stream(
    struct iw_check_merge_tally *tally, const json_t *line, uint64_t id, uint64_t *found, char *wrong) {
    const json_t *above = json_object_get(line, "upper");
    struct iw_totals own = {.streams = 1}, upper = {.streams = 0};
    uint64_t kept, wanted;

    if (!tally_add_counts(&own, line, wrong) || (above != NULL && !tally_add_counts(&upper, above, wrong)))
        return false;
    wanted = *found + (tally->judges_upper ? tally_all(&upper) : 0);
    if (tally_all(&own) != wanted)
        return tally_wrong(wrong,
            "\"findings\" of stream %" PRIu64 " are %" PRIu64 ", but its lines have %" PRIu64, id,
            tally_all(&own), wanted);
    kept = tally_all(&upper) < IW_UPPER_FINDINGS_MAX ? tally_all(&upper) : IW_UPPER_FINDINGS_MAX;
    if (tally->upper != kept || (kept > 0 && tally->upper_stream != id))
        return tally_wrong(wrong,
            "\"upper\" of stream %" PRIu64 " has %" PRIu64 " findings, but there are %" PRIu64
            " lines \"upper_finding\"",
            id, kept, tally->upper);
    iw_totals_join(&tally->sum, &own);
    tally->streams++;
    tally->open -= *found;
    tally->upper = 0;
    *found = STREAM_READ;
    return true;
}

bool iw_check_merge_tally_line(struct iw_check_merge_tally *tally, const json_t *line,
    enum iw_check_transport *transport, uint64_t *id, char wrong[IW_CHECK_MERGE_WRONG_OCTETS]) {
    const char *type = iw_json_member_text(line, "type");
    uint64_t *found;

    if (!tally_place(tally, line, transport, id, wrong))
        return false;
    found = &tally->found[*transport][*id];
    if (strcmp(type, "finding") == 0)
        return tally_finding(tally, line, found, wrong);
    if (strcmp(type, "upper_finding") == 0)
        return tally_upper_finding(tally, *id, wrong);
    return tally_stream(tally, line, *id, found, wrong);
}

static bool tally_compare(const char *field, uint64_t said, uint64_t found, char *wrong) {
    return said == found ||
           tally_wrong(wrong, "%s is %" PRIu64 ", but the lines have %" PRIu64, field, said, found);
}

bool iw_check_merge_tally_end(const struct iw_check_merge_tally *tally, const struct iw_check_counts *counts,
    const struct iw_totals *totals, bool error, char wrong[IW_CHECK_MERGE_WRONG_OCTETS]) {
    char field[64];

    if (!tally_compare("\"streams\"", counts->streams, tally->streams, wrong) ||
        !tally_compare("\"streams\" of \"totals\"", totals->streams, tally->sum.streams, wrong) ||
        !tally_compare("\"waived\" of \"totals\"", totals->waived, tally->sum.waived, wrong))
        return false;
    for (int i = 0; i <= IW_SEVERITY_ERROR; i++) {
        snprintf(field, sizeof field, "\"findings\" of \"totals\" with severity \"%s\"",
            iw_severity_name((enum iw_severity)i));
        if (!tally_compare(field, totals->findings[i], tally->sum.findings[i], wrong))
            return false;
    }
    /* A check that ran out of memory, which is an error, drops connections after some of their findings. */
    return error || tally->open + tally->upper == 0 ||
           tally_wrong(wrong, "%" PRIu64 " findings have no line \"stream\"", tally->open + tally->upper);
}
