#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd.h"
#include "cmd_confine.h"
#include "cmd_option.h"
#include "cmd_expect.h"
#include "iw_bundle.h"
#include "iw_bundle_signature.h"
#include "iw_check_merge.h"
#include "iw_compare.h"
#include "iw_file_limit.h"
#include "iw_file_name.h"
#include "iw_interop.h"
#include "iw_json.h"
#include "iw_option.h"
#include "iw_outcome.h"
#include "iw_outcome_report.h"
#include "iw_rfc_text.h"
#include "iw_whole_file.h"

struct settings {
    iw_outcome_put *put;
    const char *out;
    struct cmd_expect expect;
    const char *bundle;
    const char *policy;
    const char *sign;
    const char *rfc_text;
    struct iw_rfc_texts rfc_texts; /* read if rfc_text != NULL */
    bool merge, compare, triage;
    enum cmd_confining confining;
    struct iw_whole_file output; /* of --out without --merge; `out` NULL: not opened */
};

/* A policy, and the runs graded by it; and the comparison of two runs. */
struct grading {
    struct iw_compare compare;
    struct iw_grade_policy policy;
    struct iw_catalogue catalogue;
    struct iw_grade *grades;
    struct iw_interop interop;
};

static int report_format(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    iw_outcome_put **put = at;

    *put = iw_outcome_form_find(optarg);
    return *put != NULL ? 0 : cmd_option_not_listed(usage, option);
}

static int report_bundle(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    *(const char **)at = optarg;
    return iw_bundle_form(optarg) != IW_BUNDLE_UNKNOWN
               ? 0
               : iw_option_refuse(usage, option, "a file named .tar, .tar.gz, .tar.zst or .zip");
}

static const char formats[] =
#define IW_FORMAT_OF_RUNS(name) "|" #name
#include "iw_format.def"
    ;

#define AT(member) .at = offsetof(struct settings, member)
static const struct iw_option options[] = {
    {"format", formats + 1, 'f', "format of the report [text]", report_format, AT(put)},
    {"out", "FILE", 'o', "file to write [standard output]", iw_option_text, AT(out)},
    {"expect", "FILE", 0, "cases known not to pass; only new and regressed cases count then", iw_option_text,
        AT(expect.file)},
    {"write-expect", "FILE", 0,
        "write such a file for the cases that did not pass, with the reasons\n"
        "from --expect or what happened: check them",
        iw_option_text, AT(expect.write)},
    {"merge", NULL, 0,
        "merge the shards of one run, or of one check; write the results of the\n"
        "whole to --out",
        iw_option_flag, AT(merge)},
    {"policy", "mandatory|full|interop|FILE", 0,
        "what a certificate needs: a policy of this list, or a JSON file; the\n"
        "exit code then tells whether the device meets it",
        iw_option_text, AT(policy)},
    {"compare", NULL, 0,
        "compare two runs, of an older and a newer firmware: what is fixed, has\n"
        "regressed, is new, fails as before, or is flaky; text, jsonl or html",
        iw_option_flag, AT(compare)},
    {"triage", NULL, 0, "name the few roots of many failures, the most frequent first", iw_option_flag,
        AT(triage)},
    {"bundle", "FILE", 'b',
        "pack the run, with captures, logs and their SHA-256, into FILE: .tar,\n"
        ".tar.gz, .tar.zst or .zip; see 'verify-bundle'",
        report_bundle, AT(bundle)},
    {"sign", "KEY", 0,
        "sign the bundle by this private key of OpenSSH, or by that of ssh-agent\n"
        "with this public key, into FILE.sig",
        iw_option_text, AT(sign)},
    {"rfc-text", "DIR", 0,
        "with --format rfc: show the published texts beside the requirements, from\n"
        "DIR/rfc5040.txt and so on",
        iw_option_text, AT(rfc_text)},
    {CMD_OPTION_CONFINE, AT(confining)},
};

static const struct iw_usage usage = {
    .command = "report",
    .arguments = "[OPTION...] [NAME=]DIR|FILE...",
    .operand = "results",
    .operands = true,
    .operand_optional = true,
    .summary = "Renders results of 'run': of one run, or of several side by side.",
    .detail =
        "DIR holds results.jsonl, FILE is one. A run is named NAME, or else after its folder or file.\n"
        "The page of --format html is self-contained: a summary by document and section, cases by runs,\n"
        "and for each case its clauses, the expected and the actual result, and its wire log. Runs named\n"
        "A/B, of initiator A with responder B, are also shown as a table of pairs.\n"
        "\n"
        "The page of --format rfc goes through the RFCs section by section: what each demands, the rule,\n"
        "cases and defects about it, and what the runs showed. It needs no results.\n"
        "\n"
        "Policies: 'mandatory' needs every MUST of what the device claims to be tested and met; 'full' "
        "every\n"
        "requirement, tested by each case about it; 'interop' runs named A/B with three partners, and that\n"
        "the device conforms with two of them. What failed or is missing is named.\n"
        "\n"
        "The file of --expect has a line for each known case: its id and KEY=VALUE; verdict, clause and\n"
        "reason are required, owner is optional:\n"
        "  rdma-send-001 verdict=fail clause=\"RFC 5040 5.3\" reason=\"firmware 3\" owner=bob\n"
        "If the verdict of a case varies, give all verdicts: verdict=pass|fail.\n",
    IW_USAGE_OPTIONS(options),
    .examples = "  warpcheck report results\n"
                "  warpcheck report --format html -o report.html results\n"
                "  warpcheck report --format html -o matrix.html fw3=results/3 fw4=results/4\n"
                "  warpcheck report --format rfc -o rfc.html results\n"
                "  warpcheck report --write-expect known.txt results\n"
                "  warpcheck report --format junit --expect known.txt -o junit.xml results\n"
                "  warpcheck report --policy mandatory results\n"
                "  warpcheck report --compare results/fw3 results/fw4\n"
                "  warpcheck report --triage results\n"
                "  warpcheck report --bundle rnic.tar.gz results\n"
                "  warpcheck report --bundle rnic.tar.gz --sign ~/.ssh/lab results\n"
                "  warpcheck report --merge -o all/results.jsonl all/shard1 all/shard2\n"
                "  warpcheck report --merge -o day.jsonl shards/*.jsonl\n",
    .exits = "  0  every applicable case passed; with --expect: or had an expected result; with\n"
             "     --policy: the device meets it; with --compare: nothing became worse\n"
             "  1  at least one case failed; with --policy: a requirement of it failed\n"
             "  2  no case failed, but at least one was inconclusive or not tested (without\n"
             "     --accept-untested), nothing was tested, or a run was cut short; with --policy:\n"
             "     something that it needs was not tested\n"
             "  3  usage; a file that cannot be read or written; shards that do not fit together\n"
             "  4  a case was in error: the suite's own fault; or memory ran out\n",
    .see = "warpcheck-run(1) warpcheck-expectations(5) warpcheck-policy(5)",
};

static enum iw_exit report_read_runs(struct iw_outcome_run *runs, char *const *operands, size_t count) {
    struct iw_text diagnostics;
    bool open = iw_text_open(&diagnostics);
    enum iw_exit exit = IW_EXIT_CONFORMS;

    for (size_t i = 0; i < count && open; i++)
        exit = iw_exit_join(exit, iw_status_exit(iw_outcome_read(&runs[i], operands[i], diagnostics.out)));
    return cmd_print_diagnostics(&diagnostics) ? exit : IW_EXIT_INTERNAL;
}

/* Rejects two runs with the same name, because a reader could not tell them apart. */
static bool report_check_names(const struct iw_outcome_run *runs, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(runs[i].name, runs[j].name) == 0) {
                iw_option_error(&usage, "two runs are named %s: give one of them a different name, NAME=%s",
                    runs[i].name, runs[i].path);
                return false;
            }
    return true;
}

/* Returns the function that writes the report. */
static iw_outcome_put *report_put_of(const struct settings *settings) {
    if (settings->triage)
        return iw_outcome_put_triage;
    if (settings->compare && settings->put == iw_outcome_put_jsonl)
        return iw_outcome_put_compare_jsonl;
    if (settings->compare && settings->put != iw_outcome_put_html)
        return iw_outcome_put_compare;
    return settings->put != NULL ? settings->put : iw_outcome_put_text;
}

/* Warns if the name of the file belongs to another form: page.html with text in it. */
static void report_warn_of_name(const struct settings *settings) {
    static const struct {
        const char *end, *form;
        iw_outcome_put *put;
    } names[] = {{".html", "html", iw_outcome_put_html}, {".xml", "junit", iw_outcome_put_junit},
        {".jsonl", "jsonl", iw_outcome_put_jsonl}};

    for (size_t i = 0; settings->out != NULL && i < sizeof names / sizeof *names; i++)
        if (iw_file_name_ends(settings->out, names[i].end) && settings->put != names[i].put &&
            (settings->put != iw_outcome_put_rfc || names[i].put != iw_outcome_put_html))
            fprintf(stderr,
                "warpcheck report: %s is written in another form than its name says: --format %s?\n",
                settings->out, names[i].form);
}

static enum iw_exit report_put(struct iw_outcome_report *report, struct settings *settings) {
    bool complete;
    int error = 0;

    report_warn_of_name(settings);
    report->out = settings->out != NULL ? settings->output.out : stdout;
    report_put_of(settings)(report);
    complete = !*report->incomplete && !iw_json_memory_failed();
    if (settings->out != NULL) {
        error = iw_whole_file_close(&settings->output, complete);
        settings->output.out = NULL;
    }
    if (error != 0)
        return cmd_cannot_write(settings->out, error);
    if (complete)
        return IW_EXIT_CONFORMS;
    if (settings->out == NULL && ferror(stdout))
        return IW_EXIT_ENVIRONMENT; /* main tells the reason */
    return (enum iw_exit)cmd_fail(IW_EXIT_INTERNAL, "out of memory: the report is incomplete");
}

/* Writes the bundle of one run, and its signature. The exit code does not depend on the results of the run.
 */
static enum iw_exit report_pack(const struct settings *settings, const struct iw_outcome_run *run) {
    struct iw_text diagnostics;
    enum iw_status status = IW_ERR_NOMEM;
    enum iw_exit exit = IW_EXIT_INTERNAL;

    if (iw_text_open(&diagnostics)) {
        status = iw_bundle_write(settings->bundle, run, diagnostics.out);
        if (status == IW_OK && settings->sign != NULL)
            status = iw_bundle_sign(settings->bundle, settings->sign, diagnostics.out);
        exit = iw_status_exit(status);
    }
    return cmd_print_diagnostics(&diagnostics) ? exit : IW_EXIT_INTERNAL;
}

static enum iw_exit report_all(struct settings *settings, struct iw_outcome_report *report) {
    enum iw_exit exit;

    report->expect = cmd_expect_of(&settings->expect, report->runs, report->count);
    exit = iw_exit_join(
        iw_outcome_report_exit(report), cmd_expect_write(&settings->expect, report->runs, report->count));
    if (settings->bundle != NULL)
        exit = iw_exit_join(exit, report_pack(settings, &report->runs[0]));
    return iw_exit_join(exit, report_put(report, settings));
}

/* Grades each run by the level of the policy. */
static bool report_grade_runs(struct iw_outcome_report *report, struct grading *grading) {
    grading->grades = calloc(report->count, sizeof *grading->grades);
    if (grading->grades == NULL)
        return false;
    for (size_t i = 0; i < report->count; i++)
        iw_grade_run(&grading->policy, &report->runs[i], &grading->catalogue, &grading->grades[i]);
    report->grades = grading->grades;
    return true;
}

/* Grades each device by its partners. */
static bool report_grade_devices(struct iw_outcome_report *report, struct grading *grading) {
    report->interop = &grading->interop;
    return iw_interop_init(&grading->interop, &grading->policy, report->runs, report->count);
}

/* Loads the policy and grades by it; clear `grading` in any case. */
static enum iw_exit report_grade(
    const struct settings *settings, struct iw_outcome_report *report, struct grading *grading) {
    char error[512];
    enum iw_status status = iw_grade_policy_load(&grading->policy, settings->policy, error, sizeof error);

    if (status == IW_OK)
        status = iw_catalogue_init(&grading->catalogue, NULL, error, sizeof error);
    if (status != IW_OK)
        return (enum iw_exit)cmd_fail((int)iw_status_exit(status), "%s", error);
    report->policy = &grading->policy;
    return (!grading->policy.has_level || report_grade_runs(report, grading)) &&
                   (grading->policy.partners == 0 || report_grade_devices(report, grading))
               ? IW_EXIT_CONFORMS
               : (enum iw_exit)cmd_fail(IW_EXIT_INTERNAL, "out of memory");
}

static enum iw_exit report_compare(struct iw_outcome_report *report, struct grading *grading) {
    if (!iw_compare_init(&grading->compare, &report->runs[0], &report->runs[1]))
        return (enum iw_exit)cmd_fail(IW_EXIT_INTERNAL, "out of memory");
    report->compare = &grading->compare;
    return IW_EXIT_CONFORMS;
}

static void report_clear_grading(struct grading *grading) {
    iw_interop_clear(&grading->interop);
    free(grading->grades);
    iw_compare_clear(&grading->compare);
    iw_catalogue_dispose(&grading->catalogue);
    iw_grade_policy_clear(&grading->policy);
}

/* Reads the published texts of --rfc-text. What they lack is only a warning. */
static enum iw_exit report_read_texts(struct settings *settings, struct iw_outcome_report *report) {
    struct iw_text diagnostics;
    enum iw_status status = IW_ERR_NOMEM;

    if (iw_text_open(&diagnostics))
        status = iw_rfc_texts_read(&settings->rfc_texts, settings->rfc_text, diagnostics.out);
    report->rfc_texts = &settings->rfc_texts;
    return cmd_print_diagnostics(&diagnostics) ? iw_status_exit(status) : IW_EXIT_INTERNAL;
}

static enum iw_exit report_runs(struct settings *settings, const struct iw_outcome_run *runs, size_t count) {
    bool incomplete = false;
    struct iw_outcome_report report = {.runs = runs, .count = count, .incomplete = &incomplete};
    struct grading grading = {0};
    enum iw_exit exit = IW_EXIT_CONFORMS;

    if (!cmd_expect_read(&settings->expect))
        return IW_EXIT_ENVIRONMENT;
    if (settings->policy != NULL)
        exit = report_grade(settings, &report, &grading);
    if (exit == IW_EXIT_CONFORMS && settings->rfc_text != NULL)
        exit = report_read_texts(settings, &report);
    if (exit == IW_EXIT_CONFORMS && settings->compare)
        exit = report_compare(&report, &grading);
    if (exit == IW_EXIT_CONFORMS)
        exit = report_all(settings, &report);
    report_clear_grading(&grading);
    iw_rfc_texts_clear(&settings->rfc_texts);
    return exit;
}

/* Merges the shards of a run into the file of --out. Captures and logs must be in its folder or below it. */
static enum iw_exit report_merge(
    const struct settings *settings, const struct iw_outcome_run *runs, size_t count) {
    struct iw_text diagnostics;
    enum iw_exit exit = IW_EXIT_INTERNAL;

    if (iw_text_open(&diagnostics))
        exit = iw_outcome_merge(settings->out, runs, count, diagnostics.out);
    return cmd_print_diagnostics(&diagnostics) ? exit : IW_EXIT_INTERNAL;
}

static int report_check_settings(const struct settings *settings, size_t count) {
    bool text = settings->put == NULL || settings->put == iw_outcome_put_text;

    if (count == 0 &&
        (settings->put != iw_outcome_put_rfc || settings->merge || settings->policy != NULL ||
            settings->expect.file != NULL || settings->expect.write != NULL || settings->bundle != NULL))
        return iw_option_error(&usage, "no results given (see warpcheck report --help)");
    if (settings->rfc_text != NULL && settings->put != iw_outcome_put_rfc)
        return iw_option_error(&usage, "--rfc-text goes with --format rfc");
    if (settings->compare && count != 2)
        return iw_option_error(&usage, "--compare takes two runs, the older first");
    if (settings->compare && !text && settings->put != iw_outcome_put_html &&
        settings->put != iw_outcome_put_jsonl)
        return iw_option_error(&usage, "--compare takes --format text, jsonl or html");
    if (settings->triage && !text)
        return iw_option_error(&usage, "--triage takes --format text");
    if (settings->compare + settings->triage + settings->merge + (settings->policy != NULL) > 1)
        return iw_option_error(&usage, "give one of --compare, --triage, --merge and --policy");
    if (settings->compare && settings->expect.file != NULL)
        return iw_option_error(&usage, "--compare takes no --expect");
    if (settings->policy != NULL && settings->expect.file != NULL)
        return iw_option_error(&usage, "--policy takes no --expect: a known failure is a failure");
    if (settings->bundle != NULL && count > 1)
        return iw_option_error(&usage, "--bundle packs one run: merge shards first");
    if (settings->sign != NULL && settings->bundle == NULL)
        return iw_option_error(&usage, "--sign goes with --bundle");
    if (!settings->merge)
        return 0;
    if (settings->out == NULL)
        return iw_option_error(&usage, "--merge needs --out FILE");
    if (settings->put != NULL || settings->expect.file != NULL || settings->expect.write != NULL ||
        settings->bundle != NULL)
        return iw_option_error(&usage, "--merge takes no %s: report the whole run then",
            settings->put != NULL            ? "--format"
            : settings->expect.file != NULL  ? "--expect"
            : settings->expect.write != NULL ? "--write-expect"
                                             : "--bundle");
    return 0;
}

static bool report_is_of_check(char *const *paths, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (iw_check_merge_takes(paths[i]))
            return true;
    return false;
}

static bool report_is_same_file(const char *one, const char *other) {
    struct stat of_one, of_other;

    return stat(one, &of_one) == 0 && stat(other, &of_other) == 0 && of_one.st_dev == of_other.st_dev &&
           of_one.st_ino == of_other.st_ino;
}

/* Merges the shards of a check into the file of --out. */
static int report_merge_check(const struct settings *settings, char *const *paths, size_t count) {
    struct iw_text diagnostics;
    enum iw_exit exit = IW_EXIT_INTERNAL;

    for (size_t i = 0; i < count; i++)
        if (report_is_same_file(settings->out, paths[i]))
            return cmd_fail(IW_EXIT_ENVIRONMENT, "%s: is one of the shards", paths[i]);
    if (iw_text_open(&diagnostics))
        exit = iw_check_merge(settings->out, paths, count, diagnostics.out);
    return cmd_print_diagnostics(&diagnostics) ? (int)exit : (int)IW_EXIT_INTERNAL;
}

/* Opens --out before the process gives up the right to. A helper renames the file. */
static int report_open_output(struct settings *settings) {
    int error = iw_whole_file_open(&settings->output, settings->out);

    if (error != 0)
        settings->output.out = NULL;
    else if (settings->confining != CMD_CONFINE_OFF)
        error = iw_whole_file_detach(&settings->output);
    return error == 0 ? 0 : (int)cmd_cannot_write(settings->out, error);
}

static void report_let_read(struct iw_confine *confine, const char *operand) {
    char *folder = iw_outcome_folder(operand);

    if (folder != NULL)
        iw_confine_read(confine, folder);
    free(folder);
}

/* From here on only the results can be read, and only the folders of the files to write be changed.
 * ssh-keygen, which --sign runs, needs more; the results are then those of the user. */
static int report_confine(struct settings *settings, char *const *operands, size_t count) {
    const char *reads[] = {settings->expect.file, settings->policy, settings->rfc_text};
    const char *writes[] = {settings->expect.write, settings->bundle, settings->merge ? settings->out : NULL};
    struct iw_confine confine;

    cmd_confine_load_hashes();
    iw_confine_begin(&confine);
    for (size_t i = 0; i < count; i++)
        report_let_read(&confine, operands[i]);
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++)
        if (reads[i] != NULL)
            iw_confine_read(&confine, reads[i]);
    for (size_t i = 0; i < sizeof writes / sizeof *writes; i++)
        if (writes[i] != NULL)
            cmd_confine_write_beside(&confine, writes[i]);
    return cmd_confine(settings->sign != NULL ? CMD_CONFINE_OFF : settings->confining, &confine);
}

/* Everything before the results are read. */
static int report_prepare(struct settings *settings, char *const *operands, size_t count) {
    int code = settings->out != NULL && !settings->merge ? report_open_output(settings) : 0;

    if (settings->merge)
        iw_file_limit_raise(); /* all shards are open at once */
    return code == 0 ? report_confine(settings, operands, count) : code;
}

int cmd_report(int argc, char **argv) {
    struct settings settings = {0};
    int code = iw_option_all(&usage, argc, argv, &settings);
    struct iw_outcome_run *runs;
    size_t count;

    count = (size_t)(argc - optind);
    if (code != IW_OPTION_DONE || (code = report_check_settings(&settings, count)) != 0)
        return code;
    iw_json_require_memory();
    code = report_prepare(&settings, argv + optind, count);
    if (code == 0 && settings.merge && report_is_of_check(argv + optind, count))
        return report_merge_check(&settings, argv + optind, count);
    runs = calloc(count + 1, sizeof *runs);
    if (code == 0)
        code = runs == NULL ? cmd_fail(IW_EXIT_INTERNAL, "out of memory")
                            : (int)report_read_runs(runs, argv + optind, count);
    if (code == 0 && !settings.merge && !report_check_names(runs, count))
        code = IW_EXIT_ENVIRONMENT;
    else if (code == 0)
        code = (int)(settings.merge ? report_merge(&settings, runs, count)
                                    : report_runs(&settings, runs, count));
    for (size_t i = 0; runs != NULL && i < count; i++)
        iw_outcome_clear(&runs[i]);
    free(runs);
    if (settings.output.out != NULL)
        iw_whole_file_close(&settings.output, false);
    iw_expect_clear(&settings.expect.expect);
    return code;
}
