#include "iw_check_report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "iw_check_origin.h"
#include "iw_monotonic.h"
#include "iw_placement.h"
#include "iw_plural.h"
#include "iw_show.h"
#include "iw_until.h"

const struct iw_check_report_form *iw_check_report_form_find(const char *name) {
    static const struct {
        const char *name;
        const struct iw_check_report_form *form;
    } forms[] = {
#define IW_FORMAT_OF_CAPTURES(name) {#name, &iw_check_report_##name},
#include "iw_format.def"
    };

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].name, name) == 0)
            return forms[i].form;
    return NULL;
}

static void report_event(void *user, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    struct iw_check_report *report = user;

    iw_progress_clear(&report->progress);
    report->form->event(report, stream, event);
}

/* Called on any thread. */
IW_HOT static void report_keep_event(
    void *user, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    const struct iw_check_report *report = user;

    if (report->teller != NULL)
        report->teller->note(stream, event);
    iw_check_event_store_event(&report->store, stream, event);
    if (report->observer != NULL)
        report->observer->event(report->observer->user, stream, event);
}

static void check_report_add_upper(struct iw_check_report *report, const struct iw_check_upper *upper) {
    for (int i = 0; i <= IW_SEVERITY_ERROR; i++)
        report->upper_findings[i] += upper->counted[i];
    report->upper_waived += upper->waived;
    for (size_t i = 0; i < upper->breach_count; i++)
        if (upper->breaches[i].waiver != NULL)
            iw_waivers_use(report->waivers, upper->breaches[i].waiver, upper->breaches[i].count);
}

static void report_add_totals(struct iw_check_report *report, const struct iw_check_connection *connection) {
    const struct iw_check_kept *kept = &connection->kept;
    uint64_t unseen = connection->tcp[IW_SIDE_A].unseen + connection->tcp[IW_SIDE_B].unseen;

    report->loss_streams += unseen > 0;
    report->loss_octets += unseen;
    iw_totals_join(&report->totals, &connection->totals);
    for (size_t i = 0; i < kept->breach_count; i++)
        if (kept->breaches[i].waiver != NULL)
            iw_waivers_use(report->waivers, kept->breaches[i].waiver, kept->breaches[i].count);
    if (connection->upper != NULL)
        check_report_add_upper(report, connection->upper);
}

/* Before iw_check_connection_new: the story needs the monitor as it is at the end. */
static char *check_report_tell(struct iw_check_report *report, struct iw_check_stream *stream) {
    if (report->teller == NULL)
        return NULL;
    return report->teller->tell(stream, &report->store.chain, report->form == &iw_check_report_jsonl);
}

static void check_report_drop_row(struct iw_check_report *report, struct iw_check_stream *stream) {
    if (stream->row != NULL)
        report->form->drop(report, stream);
    stream->row = NULL;
}

static void report_connection(void *user, struct iw_check_stream *stream) {
    struct iw_check_report *report = user;
    char *story = check_report_tell(report, stream);
    struct iw_check_connection *connection = iw_check_connection_new(&report->store, stream);

    if (connection == NULL) {
        free(story);
        check_report_drop_row(report, stream);
        report->result.incomplete = true;
        return;
    }
    connection->story = story;
    report->result.incomplete |= connection->kept.incomplete || (report->teller != NULL && story == NULL);
    report_add_totals(report, connection);
    iw_progress_clear(&report->progress);
    iw_check_extract_add(&report->extract, report->store.chain.paths[0], stream, connection);
    iw_check_connection_place(&report->store.chain, connection);
    if (report->form->connection)
        report->form->connection(report, connection);
    if (report->form->whole)
        iw_check_result_add_connection(&report->result, connection);
    else
        iw_check_connection_free(connection);
}

static void report_drop(void *user, struct iw_check_stream *stream) {
    struct iw_check_report *report = user;

    if (report->teller != NULL)
        report->teller->drop(stream);
    check_report_drop_row(report, stream);
    iw_check_connection_drop(stream);
}

static void check_report_take_progress(void *user, uint64_t frames, uint64_t octets) {
    struct iw_check_report *report = user;

    iw_progress_show(&report->progress, frames, octets, iw_monotonic_ns());
}

static void check_report_tick(void *user) {
    struct iw_check_report *report = user;

    if (report->form->tick)
        report->form->tick(report);
    fflush(report->out);
}

/* Returns the size of all files in octets; 0 if one is missing or not a regular file. */
static uint64_t check_report_files_size(const char *const *paths, size_t count) {
    uint64_t octets = 0;
    struct stat status;

    for (size_t i = 0; i < count; i++) {
        if (stat(paths[i], &status) != 0 || !S_ISREG(status.st_mode))
            return 0;
        octets += (uint64_t)status.st_size;
    }
    return octets;
}

static enum iw_exit report_error(const char *error, enum iw_exit exit) {
    fputs("warpcheck: ", stderr);
    iw_show_text(stderr, error);
    fputc('\n', stderr);
    return exit;
}

void iw_check_report_trouble(void *user, const char *line) {
    struct iw_check_report *report = user;
    struct iw_text *troubles = &report->troubles;

    iw_progress_clear(&report->progress);
    report_error(line, IW_EXIT_ENVIRONMENT);
    if (troubles->out != NULL && iw_text_flush(troubles))
        fprintf(troubles->out, "%s%s", troubles->length > 0 ? "; " : "", line);
}

static void report_overlap(void *user, const char *path, const char *before, uint64_t by_ns) {
    struct iw_check_report *report = user;

    iw_progress_clear(&report->progress);
    fputs("warpcheck: ", stderr);
    iw_show_name(stderr, path);
    fprintf(stderr, ": begins %.6f s before ", (double)by_ns / 1e9);
    iw_show_name(stderr, before);
    fputs(" ends; use --chain none unless they are parts of one capture\n", stderr);
}

/* Returns whether unread packets may carry iWARP: truncated packets, fragments, packets with unread link
 * types or too many tunnels, dropped packets. Encrypted packets and unknown tunnels are mostly other traffic.
 */
static bool check_report_hides_packets(const struct iw_check_counts *counts) {
    return counts->dropped > 0 || counts->links.may_carry_ip > 0 || counts->fragments > 0 ||
           counts->cut > 0 || counts->lost > 0 || counts->contents.frames[IW_CONTENT_TOO_DEEP] > 0;
}

void iw_check_report_contents(const struct iw_check_counts *counts, char *line, size_t octets) {
    int used = 0;

    if (counts->cut_flows > 0)
        used = snprintf(line, octets,
            ": %llu TCP connection%s without recognised iWARP; the capture lacks octets of %llu that would "
            "show "
            "it (packets cut by the snapshot length, or no beginning)",
            (unsigned long long)counts->tcp_flows, iw_plural(counts->tcp_flows),
            (unsigned long long)counts->cut_flows);
    else if (counts->tcp_flows > 0)
        used = snprintf(line, octets, ": %llu TCP connection%s", (unsigned long long)counts->tcp_flows,
            counts->tcp_flows == 1 ? " that is not iWARP" : "s that are not iWARP");
    iw_check_contents_line(&counts->contents, used > 0 ? ";" : ":", line + used, octets - (size_t)used);
}

static bool check_report_lacks_iwarp(
    const struct iw_check_report *report, const struct iw_check_counts *counts) {
    /* A shard may well have no iWARP. */
    return counts->streams == 0 && report->order == NULL;
}

enum iw_exit iw_check_report_conclude(struct iw_check_report *report, const struct iw_check_chain *chain,
    const struct iw_check_counts *counts, enum iw_status status) {
    bool unread = status != IW_OK;
    char *troubles;

    if (!unread && check_report_lacks_iwarp(report, counts)) {
        char line[IW_CHECK_TROUBLE_OCTETS], contents[IW_CHECK_TROUBLE_OCTETS / 2];

        iw_check_report_contents(counts, contents, sizeof contents);
        snprintf(line, sizeof line, "%s: no iWARP stream found in %llu frame%s%s", report->file,
            (unsigned long long)counts->frames, iw_plural(counts->frames), contents);
        iw_check_report_trouble(report, line);
        status = IW_ERR_FORMAT;
    }
    troubles = iw_text_close(&report->troubles);
    report->error = status == IW_OK ? NULL : troubles != NULL ? troubles : "out of memory";
    iw_check_result_add_file(&report->result, &(struct iw_check_file_result){.path = (char *)report->file,
                                                  .parts = chain->paths,
                                                  .part_count = chain->count,
                                                  .counts = *counts,
                                                  .error = (char *)report->error,
                                                  .unread = unread});
    report->totals.unread |= unread || check_report_hides_packets(counts);
    if (report->form->file_end)
        report->form->file_end(report, counts);
    report->error = NULL;
    free(troubles);
    fflush(report->out);
    return status == IW_OK ? iw_totals_exit(&report->totals) : IW_EXIT_ENVIRONMENT;
}

/* Judges and reports the chain. `split`: NULL, or the file to read instead. */
static enum iw_exit report_judge(
    struct iw_check_report *report, struct iw_check_chain *chain, const struct iw_check_split *split) {
    const struct iw_check_report_form *form = report->form;
    /* A waived finding also waives its consequences: each event is stored and reported before the next. */
    bool in_turn = report->waivers && form->event;
    const struct iw_check_config config = {.extensions = report->extensions,
        .threads = in_turn ? 1 : report->threads,
        .memory = report->memory,
        .lives = report->teller != NULL,
        .shard = report->shard,
        .order = report->order,
        .split = split,
        .source = report->source};
    const struct iw_check_handlers handlers = {.note = report_keep_event,
        .event = form->event ? report_event : NULL,
        .findings_only = form->findings_only,
        .stream_end = report_connection,
        .stream_drop = report_drop,
        .progress = report->progress.out != NULL ? check_report_take_progress : NULL,
        .tick = check_report_tick,
        .trouble = iw_check_report_trouble,
        .overlap = report_overlap};
    struct iw_check_counts counts = {0};
    enum iw_status status;

    iw_text_open(&report->troubles);
    if (form->file_begin)
        form->file_begin(report);
    status = iw_check_files(chain, &config, &handlers, report, &counts);
    iw_progress_clear(&report->progress);
    return iw_check_report_conclude(report, chain, &counts, status);
}

const char *iw_check_report_title(
    const char *first, const char *last, size_t count, char title[IW_CHECK_TITLE_OCTETS]) {
    if (count == 1)
        return first;
    snprintf(title, IW_CHECK_TITLE_OCTETS, "%s to %s (%zu files)", first, last, count);
    return title;
}

/* `first` is an array for the chain. */
static enum iw_exit check_report_chain(struct iw_check_report *report, const char *const *paths, size_t count,
    uint64_t *first, const struct iw_check_split *split) {
    struct iw_check_chain chain = {paths, count, first};
    struct iw_check_order order = {.now = 0};
    enum iw_exit exit;

    report->order = report->shard.count > 0 ? &order : NULL;
    report->files += count;
    report->totals.stricter = report->stricter;
    report->store = (struct iw_check_event_store){chain, report->waivers, report->form->log, report->stricter,
        report->upper, report->excuse, report->relay};
    exit = report_judge(report, &chain, split);
    iw_check_extract_write(&report->extract, &chain);
    report->order = NULL;
    iw_check_order_clear(&order);
    return exit;
}

/* Judges a file of `warpcheck split`. Until its sections name the files of the capture, its own path stands
 * for them. */
static enum iw_exit check_report_split(struct iw_check_report *report, const char *path, uint64_t files) {
    size_t count = (size_t)files;
    char **paths = calloc(count, sizeof *paths);
    const char **names = calloc(count, sizeof *names);
    uint64_t *first = calloc(count, sizeof *first);
    const struct iw_check_split split = {path, paths, names};
    enum iw_exit exit = IW_EXIT_ENVIRONMENT;

    for (size_t i = 0; names != NULL && i < count; i++)
        names[i] = path;
    if (paths != NULL && names != NULL && first != NULL)
        exit = check_report_chain(report, names, count, first, &split);
    else
        report_error("out of memory", exit);
    free(first);
    report->split_paths = paths;
    report->split_names = names;
    report->split_count = paths != NULL ? count : 0;
    return exit;
}

enum iw_exit iw_check_report_files(struct iw_check_report *report, const char *const *paths, size_t count) {
    uint64_t *first = calloc(count, sizeof *first), files = 0;
    enum iw_exit exit = IW_EXIT_ENVIRONMENT;
    char title[IW_CHECK_TITLE_OCTETS];

    if (first == NULL)
        return report_error("out of memory", IW_EXIT_ENVIRONMENT);
    report->file = report->progress.what = iw_check_report_title(paths[0], paths[count - 1], count, title);
    report->progress.total = check_report_files_size(paths, count);
    if (report->split_count == 0 && report->shard.count == 0 && count == 1 &&
        iw_check_origin_find(paths[0], &report->shard, &files))
        exit = check_report_split(report, paths[0], files);
    else
        exit = check_report_chain(report, paths, count, first, NULL);
    report->file = report->progress.what = NULL;
    free(first);
    return exit;
}

enum iw_exit iw_check_report_source(
    struct iw_check_report *report, const char *name, const struct iw_check_source *source) {
    uint64_t first;
    enum iw_exit exit;

    report->file = name;
    report->source = source;
    exit = check_report_chain(report, &name, 1, &first, NULL);
    report->file = NULL;
    report->source = NULL;
    return exit;
}

static void check_report_free_split(struct iw_check_report *report) {
    for (size_t i = 0; i < report->split_count; i++)
        free(report->split_paths[i]);
    free(report->split_paths);
    free(report->split_names);
}

enum iw_exit iw_check_report_end(struct iw_check_report *report, enum iw_exit exit) {
    const struct iw_waivers *waivers = report->waivers;

    if (report->result.incomplete)
        exit = IW_EXIT_ENVIRONMENT;
    if (report->extract.failed)
        exit = iw_exit_join(exit, IW_EXIT_ENVIRONMENT);
    if (report->form->end)
        report->form->end(report, exit);
    if (report->result.incomplete)
        exit = report_error("out of memory: the report is incomplete", IW_EXIT_ENVIRONMENT);
    fflush(report->out);
    for (size_t i = 0; waivers != NULL && i < waivers->count; i++)
        if (iw_until_is_over(waivers->list[i].until))
            fprintf(stderr, "warpcheck: %s:%u: expired on %s: %s\n", waivers->path, waivers->list[i].line,
                waivers->list[i].until, waivers->list[i].pattern);
        else if (iw_waiver_is_unused(&waivers->list[i], report->upper != IW_CHECK_UPPER_OFF))
            fprintf(stderr, "warpcheck: %s:%u: waived no finding: %s\n", waivers->path, waivers->list[i].line,
                waivers->list[i].pattern);
    iw_check_result_clear(&report->result);
    iw_check_extract_end(&report->extract);
    check_report_free_split(report);
    return exit;
}
