#include <getopt.h>
#include <stdio.h>

#include "cmd.h"
#include "iw_bundle.h"
#include "iw_exit.h"
#include "iw_json.h"
#include "iw_option.h"
#include "iw_plural.h"

static const struct iw_usage usage = {
    .command = "verify-bundle",
    .arguments = "FILE",
    .operand = "bundle",
    .summary = "Verifies a bundle that 'report --bundle' has made.",
    .detail =
        "Checks that the bundle holds exactly the files of its MANIFEST, each with its SHA-256; that the\n"
        "results agree with their summary, the profile, the suite, and the wire log of each case; and\n"
        "that each capture, judged again, gives what the log and the results say. Each fault is a line\n"
        "on stderr. The digests show what was altered after the bundle was made, not who made it.\n",
    .examples = "  warpcheck verify-bundle rnic.tar.gz\n",
    .exits = "  0  nothing is wrong with it\n"
             "  1  at least one fault\n"
             "  3  usage; not a bundle, or an archive with links, paths outside itself, a file twice, or\n"
             "     more or larger files than a bundle may have\n"
             "  4  memory ran out\n",
};

static enum iw_exit verify_bundle(struct iw_bundle *bundle, const char *path, FILE *diagnostics) {
    char suite[IW_BUNDLE_SUITE_OCTETS];
    size_t faults;

    if (iw_bundle_open(bundle, path, diagnostics) != IW_OK)
        return IW_EXIT_ENVIRONMENT;
    faults = iw_bundle_verify(bundle, diagnostics);
    iw_bundle_suite_text(bundle, suite);
    if (iw_bundle_memory_failed()) {
        fputs("out of memory: not verified\n", diagnostics);
        return IW_EXIT_INTERNAL;
    }
    printf("%s: made by %s\n%s: %zu file%s, %zu fault%s\n", path, suite, path, bundle->count,
        iw_plural(bundle->count), faults, iw_plural(faults));
    return faults > 0 ? IW_EXIT_VIOLATIONS : IW_EXIT_CONFORMS;
}

int cmd_verify_bundle(int argc, char **argv) {
    int code = iw_option_all(&usage, argc, argv, NULL);
    struct iw_text diagnostics;
    struct iw_bundle bundle = {0};

    if (code != IW_OPTION_DONE)
        return code;
    iw_json_require_memory();
    code = IW_EXIT_ENVIRONMENT;
    if (iw_text_open(&diagnostics))
        code = (int)verify_bundle(&bundle, argv[optind], diagnostics.out);
    iw_bundle_close(&bundle);
    return cmd_print_diagnostics(&diagnostics) ? code : (int)IW_EXIT_ENVIRONMENT;
}
