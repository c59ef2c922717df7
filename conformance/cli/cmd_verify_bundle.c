#include <getopt.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "cmd_confine.h"
#include "iw_bundle.h"
#include "iw_bundle_check.h"
#include "iw_bundle_signature.h"
#include "iw_exit.h"
#include "iw_grade.h"
#include "iw_json.h"
#include "iw_option.h"
#include "iw_show.h"

struct settings {
    const char *key, *signature, *cases, *policy;
    enum cmd_confining confining;
};

#define AT(member) .at = offsetof(struct settings, member)
static const struct iw_option options[] = {
    {"key", "FILE", 'k', "public key of OpenSSH (.pub) that must have signed the bundle", iw_option_text,
        AT(key)},
    {"signature", "FILE", 's', "its signature [the name of the bundle with .sig added]", iw_option_text,
        AT(signature)},
    {"cases", "DIR", 0, "the cases of this folder, if the run was started with --cases", iw_option_text,
        AT(cases)},
    {"policy", "mandatory|full|interop|FILE", 0,
        "judge the device by what this policy needs; see 'report --policy'", iw_option_text, AT(policy)},
    {CMD_OPTION_CONFINE, AT(confining)},
};

static const struct iw_usage usage = {
    .command = "verify-bundle",
    .arguments = "[OPTION...] FILE",
    .operand = "bundle",
    .summary = "Tells what a bundle of 'report --bundle' says of a device, and verifies it.",
    .detail =
        "Prints the device, versions, counts, coverage, and in the last line the verdict, with what the\n"
        "run left out: cases that were not tested, or that its options did not select.\n"
        "\n"
        "Checks that the bundle holds exactly the files of its MANIFEST, each with its SHA-256, and\n"
        "recomputes what it can: the list of the cases, their titles, requirements and levels from the\n"
        "cases of this program; which of them apply, from the profile and the options of the run; what\n"
        "the device violates, from the captures; and all counts. Each fault is a line on stderr. \"not\n"
        "proved\" names what cannot be recomputed. The digests show what was altered after the bundle\n"
        "was made, not who made it: that takes a signature (report --bundle FILE --sign KEY) and --key.\n",
    IW_USAGE_OPTIONS(options),
    .examples = "  warpcheck verify-bundle rnic.tar.gz\n"
                "  warpcheck verify-bundle --key lab.pub --policy mandatory rnic.tar.gz\n",
    .exits =
        "  0  no fault, and the device conforms as far as the run tested it; with --policy: and meets it\n"
        "  1  no fault, and the device fails\n"
        "  2  no fault, but the device is not judged: cases were inconclusive or not tested, the run was\n"
        "     cut short or is a shard, or its cases are not those of this program\n"
        "  3  the bundle proves nothing: at least one fault, or a signature that is missing or not valid\n"
        "     for --key; not a bundle, or an archive with links, paths outside itself, a file twice,\n"
        "     or more or larger files than a bundle may have; usage\n"
        "  4  memory ran out\n",
};

/* What ssh-keygen says about the signature: it runs before the process gives up the right to start programs.
 */
struct signature {
    enum iw_status status;
    enum iw_bundle_signature found;
    char text[IW_BUNDLE_SIGNATURE_TEXT_OCTETS];
    char *diagnostics;
};

static void verify_bundle_read_signature(
    const struct settings *settings, const char *path, struct signature *signature) {
    struct iw_text diagnostics;

    *signature = (struct signature){.status = IW_ERR_NOMEM};
    if (iw_text_open(&diagnostics))
        signature->status = iw_bundle_signature_verify(
            &signature->found, path, settings->signature, settings->key, signature->text, diagnostics.out);
    signature->diagnostics = iw_text_close(&diagnostics);
    if (signature->diagnostics == NULL)
        signature->status = IW_ERR_NOMEM;
}

/* From here on only the bundle can be read, and only the folder of its contents be changed. */
static int verify_bundle_confine(const struct settings *settings, const struct iw_bundle *bundle) {
    struct iw_confine confine;

    cmd_confine_load_hashes();
    iw_confine_begin(&confine);
    iw_confine_read(&confine, bundle->path);
    if (settings->cases != NULL)
        iw_confine_read(&confine, settings->cases);
    iw_confine_write(&confine, bundle->folder);
    return cmd_confine(settings->confining, &confine);
}

/* Prints the line about the signature. Returns false if there is no valid signature by the given key. */
static bool verify_bundle_signature(
    const struct settings *settings, struct iw_bundle_check *check, const struct signature *signature) {
    enum iw_bundle_signature found = signature->found;

    fputs(signature->diagnostics != NULL ? signature->diagnostics : "out of memory\n", check->faults);
    if (signature->status != IW_OK)
        return false;
    printf("  %-10s  %s\n", "signature", signature->text);
    check->signature_valid = found == IW_BUNDLE_SIGNED;
    if (found == IW_BUNDLE_FORGED)
        iw_bundle_fault(check, "signature", "%s", signature->text);
    else if (found == IW_BUNDLE_UNSIGNED && settings->key != NULL)
        iw_bundle_fault(check, "signature", "is missing");
    return true;
}

/* Loads the policy, which must be about one device. Clear it in any case. */
static bool verify_bundle_load_policy(struct iw_grade_policy *policy, const char *name, FILE *faults) {
    char error[512];

    if (iw_grade_policy_load(policy, name, error, sizeof error) != IW_OK) {
        fprintf(faults, "%s\n", error);
        return false;
    }
    if (!policy->has_level)
        fputs("the policy has no level for one device\n", faults);
    return policy->has_level;
}

/* Prints the grade; the texts of the bundle may have control characters. Returns false if memory runs out. */
static bool verify_bundle_put_grade(
    const struct iw_grade_policy *policy, const struct iw_outcome_run *run, const struct iw_grade *grade) {
    struct iw_text text;
    char *shown;

    if (iw_text_open(&text))
        iw_grade_put(text.out, policy, run, grade);
    shown = iw_text_close(&text);
    if (shown != NULL)
        iw_show_text(stdout, shown);
    free(shown);
    return shown != NULL;
}

/* Grades the device by the policy. The bundle is whole. */
static enum iw_exit verify_bundle_grade(
    const struct iw_grade_policy *policy, const struct iw_bundle_check *check, const char *path) {
    struct iw_outcome_run run = check->run;
    struct iw_grade *grade = malloc(sizeof *grade);
    enum iw_exit exit = IW_EXIT_INTERNAL;

    run.name = (char *)(uintptr_t)path; /* not that of the folder with its contents */
    if (grade != NULL) {
        iw_grade_run(policy, &run, &check->plan.builtin, grade);
        if (verify_bundle_put_grade(policy, &run, grade))
            exit = grade->exit;
    }
    free(grade);
    return exit;
}

static enum iw_exit verify_bundle_check(const struct settings *settings, const struct iw_grade_policy *policy,
    struct iw_bundle_check *check, const struct signature *signature, const char *path) {
    enum iw_exit exit;
    bool verified;

    iw_bundle_summary_print(stdout, check);
    verified = verify_bundle_signature(settings, check, signature);
    if (iw_bundle_memory_failed()) {
        fputs("out of memory: not verified\n", check->faults);
        return IW_EXIT_INTERNAL;
    }
    if (!verified) {
        printf("%s: not verified\n", path);
        return IW_EXIT_ENVIRONMENT;
    }
    iw_bundle_summary_print_verdict(stdout, check);
    exit = iw_bundle_exit(check);
    return settings->policy != NULL && exit < IW_EXIT_ENVIRONMENT ? verify_bundle_grade(policy, check, path)
                                                                  : exit;
}

/* Before this process can be confined or interrupted with the contents in a temporary folder. */
static bool verify_bundle_begin(struct iw_bundle *bundle, const char *path, FILE *diagnostics) {
    int error;

    if (iw_bundle_begin(bundle, path, diagnostics) != IW_OK)
        return false;
    error = iw_bundle_detach(bundle);
    if (error != 0)
        fprintf(diagnostics, "%s: no process to remove its contents: %s\n", path, strerror(error));
    return error == 0;
}

static enum iw_exit verify_bundle_open(const struct settings *settings, const struct iw_grade_policy *policy,
    const char *path, FILE *diagnostics) {
    struct iw_bundle_check check = {.count = 0};
    struct iw_bundle bundle = {0};
    struct signature signature = {.status = IW_OK};
    enum iw_exit exit = IW_EXIT_ENVIRONMENT;

    if (verify_bundle_begin(&bundle, path, diagnostics)) {
        verify_bundle_read_signature(settings, path, &signature);
        if (verify_bundle_confine(settings, &bundle) == 0 && iw_bundle_open(&bundle, diagnostics) == IW_OK) {
            iw_bundle_check_init(&check, &bundle, settings->cases, diagnostics);
            exit = verify_bundle_check(settings, policy, &check, &signature, path);
        }
    }
    free(signature.diagnostics);
    iw_bundle_check_dispose(&check);
    iw_bundle_close(&bundle);
    return exit;
}

/* The policy comes first: a wrong name must not end below the line of a verdict. */
static enum iw_exit verify_bundle(const struct settings *settings, const char *path, FILE *diagnostics) {
    struct iw_grade_policy policy = {0};
    enum iw_exit exit = IW_EXIT_ENVIRONMENT;

    if (settings->policy == NULL || verify_bundle_load_policy(&policy, settings->policy, diagnostics))
        exit = verify_bundle_open(settings, &policy, path, diagnostics);
    iw_grade_policy_clear(&policy);
    return exit;
}

int cmd_verify_bundle(int argc, char **argv) {
    struct settings settings = {0};
    int code = iw_option_all(&usage, argc, argv, &settings);
    struct iw_text diagnostics;

    if (code != IW_OPTION_DONE)
        return code;
    iw_json_require_memory();
    code = IW_EXIT_ENVIRONMENT;
    if (iw_text_open(&diagnostics))
        code = (int)verify_bundle(&settings, argv[optind], diagnostics.out);
    return cmd_print_diagnostics(&diagnostics) ? code : (int)IW_EXIT_ENVIRONMENT;
}
